import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// A subcommand that inspects caches and changes nothing.
protocol Inspection: ParsableCommand {
    var options: InspectionOptions { get }

    /// The path of the store that the inspection reads; nil for none.
    var watchedStore: String? { get }

    /// Performs the inspection in this process.
    func report() throws -> InspectionReport
}

extension Inspection {
    var watchedStore: String? { nil }

    private func inspect() throws {
        let report = try report()
        try options.output.print(report.json(), orText: report.lines())
        if let finding = report.finding { throw finding }
    }

    func run() throws {
        if let seconds = options.watch {
            let files = [options.directory.appending(path: "data.mdb").path]
            let store = watchedStore.map { [$0, $0 + "-wal"] } ?? []
            let watch = InspectionWatch(
                files: files + store, interval: seconds > 0 ? .seconds(seconds) : nil,
                isJSON: options.output.json)
            return try watch.run(report)
        }
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

    @Option(
        defaultAsFlag: 0,
        help: ArgumentHelp(
            """
            Print the report again whenever the caches or the store change, until Ctrl-C; with a number, also at \
            intervals of that many seconds. On a terminal, the new report replaces the old one; otherwise, a report that \
            differs from the last one follows it after an empty line.
            """, valueName: "seconds"))
    var watch: Double?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let watch else { return }
        guard watch >= 0, watch <= 86_400 else {
            throw ValidationError("--watch \(watch) must be between 0 and 86,400 seconds.")
        }
        if isIsolated { throw ValidationError("--watch and --isolated exclude each other.") }
    }

    /// The directory that the options name.
    var directory: URL { cacheDirectory.directory }

    /// The path of the directory if it does not exist; nil if it does.
    var missingDirectory: String? { isolatedCopy == nil ? cacheDirectory.missingDirectory : nil }

    /// The line for a directory without caches.
    var noCaches: String {
        guard let missingDirectory else { return "There are no caches." }
        return TerminalText.escaped(
            "There are no caches: the directory “\(missingDirectory)” does not exist.")
    }

    /// The caches, opened read-only.
    var caches: SectionCacheStore {
        SectionCacheStore(
            directory: isolatedCopy.map { URL(filePath: $0) } ?? directory,
            options: SectionCacheStore.Options(isReadOnly: true))
    }
}
