import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// A subcommand that inspects caches and changes nothing.
protocol Inspection: ParsableCommand {
    var options: InspectionOptions { get }

    /// Performs the inspection in this process.
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

/// The options of every subcommand that inspects caches.
struct InspectionOptions: ParsableArguments {
    @OptionGroup var cacheDirectory: CacheDirectoryOptions

    @Flag(
        name: .customLong("isolated"),
        help: """
            Inspect a copy of the caches in a separate process, and report how it ends: for caches of another user, or \
            caches that are refused because of their owner or permissions. A copy of caches that are being written may be \
            damaged.
            """)
    var isIsolated = false

    /// The copy that this process inspects on behalf of its parent process.
    @Option(help: .hidden)
    var isolatedCopy: String?

    @OptionGroup var output: OutputOptions

    /// The directory that the options name.
    var directory: URL { cacheDirectory.directory }

    /// The caches, opened read-only.
    var caches: SectionCacheStore {
        SectionCacheStore(
            directory: isolatedCopy.map { URL(filePath: $0) } ?? directory,
            options: SectionCacheStore.Options(isReadOnly: true))
    }
}
