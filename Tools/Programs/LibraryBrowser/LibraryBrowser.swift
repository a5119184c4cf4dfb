import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-browser`: prints the sections of a request, and says whether they came from the cache.
@main
struct LibraryBrowser: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library-browser",
        abstract: "Lists what is in a store, in sections, and says whether they came from the cache.",
        discussion: """
            Prints each section with its number of rows and its first rows, and at the end how long it took until the first screen \
            (as many lines as the terminal has, or 24) was written: since the process began, which is known to within ten \
            milliseconds at worst, and since the store was about to be opened.

            With --cache the sections are kept for the next start. A cache that cannot be used is no error: the listing says why, \
            and is computed.

            \(ForeignStoreOptions.trust) The structure of the file is not checked as a whole, and the tables in which this \
            library keeps its books may be written, unless --check-all is given.

            \(LiveHelp.discussion)

            \(ToolExit.help)
            """)

    @Argument(help: "The store to list.")
    var store: String

    @Option(help: ArgumentHelp("The name of the cache to keep the sections in.", valueName: "name"))
    var cache: String?

    @Option(
        parsing: .unconditional,
        help: "How many rows of each section to print. [default: 3, or all with --section]")
    var rows: Int?

    @Option(
        help: ArgumentHelp(
            "Print only the section of this name, with all its rows: nil for that of rows without a value, “\"\"” and “\"nil\"” in quotes for those texts.",
            valueName: "name"))
    var section: String?

    @Option(
        help: ArgumentHelp(
            "The properties to print, parted by commas; also those of related objects (artist.name). [default: up to four attributes]",
            valueName: "properties"))
    var columns: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Take the whole terminal, and follow changes of the store.")
    var live = false

    @Flag(help: "Check all of the store's file first, and write nothing to it, as cache-inspector does.")
    var checkAll = false

    @OptionGroup(title: "What to list")
    var request: RequestOptions

    @OptionGroup var cacheDirectory: CacheDirectoryOptions
    @OptionGroup var opening: ForeignStoreOptions

    static func main() { runAsTool() }

    func validate() throws {
        _ = try cache.map { try CacheName(argument: $0) }
        if let rows, rows < 0 { throw ValidationError("--rows \(rows) must not be negative.") }
        if live, json || rows != nil || section != nil {
            throw ValidationError("--live shows the whole list. Leave out --json, --rows and --section.")
        }
    }

    func run() throws {
        if live { return try runLive() }
        let beforeOpening = ContinuousClock.now
        let container = try openStore()
        try container.explaining { try printList(in: container, beforeOpening: beforeOpening) }
    }

    /// Opens the store as far as it is trusted.
    func openStore() throws(ObjectStorageError) -> PersistentContainer {
        checkAll ? try opening.openToInspect(store) : try opening.open(store)
    }

    private func printList(
        in container: PersistentContainer, beforeOpening: ContinuousClock.Instant
    ) throws {
        var list = try request.request(in: container)
        let numberOfRows = rows ?? (section == nil ? 3 : .max)
        // Rows are read in batches of this many, and no more of a section than are shown.
        list.fetchRequest.fetchBatchSize = min(max(numberOfRows, 1), 50)
        let columns = try Column.columns(columns, for: list, in: container)
        let cacheName = try cache.map { try CacheName($0) }
        let controller = try FetchedResultsController(
            fetchRequest: list.fetchRequest, context: container.newContext(),
            sectionNameKeyPath: list.sectionKey,
            cacheName: cacheName, cacheStore: SectionCacheStore(directory: cacheDirectory.directory))
        // Sections and rows are those of one state, whatever other programs write meanwhile.
        controller.managedObjectContext.pinBriefly()
        try controller.performFetch()
        let listing = Listing(
            storePath: store, request: list, controller: controller, columns: columns,
            numberOfRows: numberOfRows,
            sectionName: section, beforeOpening: beforeOpening)
        if json {
            try listing.printJSON()
        } else {
            try listing.printText()
        }
    }
}
