import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// A subcommand that looks into caches and changes nothing.
protocol Inspection: ParsableCommand {
    var options: InspectionOptions { get }

    /// Looks, in this process.
    func inspect() throws
}

extension Inspection {
    func run() throws {
        if options.isolatedCopy != nil {
            IsolatedInspection.limitProcess()
            try inspect()
        } else if options.isIsolated {
            try IsolatedInspection(directory: options.directory).run()
        } else {
            try inspect()
        }
    }
}

/// What every subcommand takes that looks into caches.
struct InspectionOptions: ParsableArguments {
    @OptionGroup var cacheDirectory: CacheDirectoryOptions

    @Flag(
        name: .customLong("isolated"),
        help: """
            Look at a copy of the caches, in a process of its own whose end is told: for caches that somebody else made, \
            or that are not used because of whose they are or who may write them. A copy of caches that are just being \
            written may be damaged.
            """)
    var isIsolated = false

    /// The copy that this process looks at for another one.
    @Option(help: .hidden)
    var isolatedCopy: String?

    @OptionGroup var output: OutputOptions

    /// The directory that was asked for.
    var directory: URL { cacheDirectory.directory }

    /// The caches, opened for reading alone.
    var caches: SectionCacheStore {
        SectionCacheStore(
            directory: isolatedCopy.map { URL(filePath: $0) } ?? directory,
            options: SectionCacheStore.Options(isReadOnly: true))
    }
}
