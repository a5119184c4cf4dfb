import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-browser`: prints the sections of a request and whether they came from the cache.
@main
struct LibraryBrowser: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library-browser",
        abstract: "Lists the objects of a store in sections, and whether the sections came from the cache.",
        discussion: """
            With only a store, its entities are described: the numbers of their objects, their attributes and relationships. With \
            --entity, the objects of one are listed. A store of this library with one entity is listed, and its properties are named.

            Prints each section with its number of rows and its first rows, and at the end the time until the first screen \
            (the height of the terminal, or 24 lines) was written: since the process began, accurate to ten milliseconds, and \
            since the store was opened.

            Any other SQLite database is listed as well, and never changed: tables with a usable key are entities, foreign keys \
            are relationships, and tables of pairs are many-to-many relationships. The description names the tables that cannot \
            be listed, with the reasons. A view is listed read-only with --entity VIEW, \
            if one of its columns has a different integer in each row. With --cache, its sections are cached as long as its files \
            do not change. “library-import adopt” writes the model to a file for --model, or tracks the database: then changes \
            of single rows are detected, and other writes leave cached sections valid.

            With --subgroup-by, each section is divided into subsections, which are printed below it with their numbers of \
            rows and their first rows. With --section, all subsections of that section are printed with all rows.

            With --cache, the sections are saved for the next start. A cache that cannot be used is not an error: the listing \
            shows the reason, and the sections are computed.

            \(ForeignStoreOptions.trust) Without --check-all, the structure of the file is not checked as a whole, and this \
            library's control tables in it may be written.

            \(ExportFormat.discussion)

            \(CoreDataHelp.discussion)

            \(LiveHelp.discussion)

            \(ToolExit.help)
            """,
        version: LibraryVersions.text(of: "library-browser"))

    @Argument(help: "The store or database to list.", completion: .file())
    var store: String

    @OptionGroup var database: DatabaseOptions

    @Option(help: ArgumentHelp("The name of the cache for the sections.", valueName: "name"))
    var cache: String?

    @Option(
        parsing: .unconditional,
        help: "The number of rows to print in each section or subsection. [default: 3, or all with --section]"
    )
    var rows: Int?

    @Option(
        help: ArgumentHelp(
            "Print only the section of this name or key, with all its rows. Use nil for the section of rows without a value, and “\"\"” or “\"nil\"” with quotes for these texts.",
            valueName: "name"))
    var section: String?

    @Option(
        help: ArgumentHelp(
            "The properties to print, separated by commas, including those of related objects (artist.name). [default: up to four attributes]",
            valueName: "properties"))
    var columns: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the rows as data: csv, tsv, json (an array) or jsonl (one object on each line).",
            valueName: "format"))
    var format: ExportFormat?

    @Option(
        name: .customLong("no-value"),
        help: ArgumentHelp(
            "The word that means no value in CSV and TSV, to distinguish it from the empty text. Pass the same word to library-import.",
            valueName: "word"))
    var noValue: String?

    @Flag(help: "Use the whole terminal and follow changes to the store.")
    var live = false

    @Flag(help: "Check the whole file of the store first and do not write to it, as cache-inspector does.")
    var checkAll = false

    @OptionGroup(title: "Request")
    var request: RequestOptions

    @OptionGroup var cacheDirectory: CacheDirectoryOptions
    @OptionGroup var opening: ForeignStoreOptions

    static func main() { runAsTool() }

    func validate() throws {
        _ = try cache.map { try CacheName(argument: $0) }
        if let rows, rows < 0 { throw ValidationError("--rows \(rows) must not be negative.") }
        if !FileManager.default.fileExists(atPath: PathArgument.url(store).path) {
            try request.validateKeys()
        }
        if let noValue, noValue.isEmpty || format?.delimiter == nil {
            throw ValidationError(
                noValue.isEmpty ? "--no-value must not be empty." : "--no-value needs --format csv or tsv.")
        }
        if format != nil, json || live || rows != nil || section != nil || cache != nil {
            throw ValidationError(
                "--format writes all rows of the request. Omit --json, --live, --rows, --section and --cache; choose rows with --where and --limit."
            )
        }
        if live, json || rows != nil || section != nil {
            throw ValidationError("--live shows the whole list. Omit --json, --rows and --section.")
        }
    }

    func run() throws {
        if live { return try runLive() }
        let beforeOpening = ContinuousClock.now
        let kind = try opening.kind(of: store, self.database)
        let database = try openStore(of: kind)
        try database.container.explaining {
            if try printOverview(of: database) { return }
            try printList(in: database.container, beforeOpening: beforeOpening)
            noteChoice(database.container.model)
        }
    }

    /// Opens the store or database with the checks that the options require.
    ///
    /// - Parameter kind: The kind of the database, as ``ForeignStoreOptions/kind(of:_:)`` returns it.
    func openStore(of kind: DatabaseSurvey.Kind?) throws(ObjectStorageError) -> AnyDatabase {
        let database = try opening.openAny(
            store, kind, self.database, entity: request.entity, isWholeChecked: checkAll)
        if kind == .store, let record = try database.container.moveRecord() {
            writeToStandardError(
                "library-browser: \(TerminalText.escaped("“\(store)” contains an unfinished move of “\(record.sourcePath)”, so objects are missing. Run “library-import --from \(record.sourcePath) \(store)” to finish it."))\n"
            )
        }
        return database
    }

    private func printList(
        in container: PersistentContainer, beforeOpening: ContinuousClock.Instant
    ) throws {
        var list = try request.request(in: container)
        if let format {
            return try RowExport(format, columns, noValue: noValue, of: list, in: container).write(
                list, in: container)
        }
        let numberOfRows = rows ?? (section == nil ? 3 : .max)
        // A batch is not larger than the number of rows that are shown of a section.
        list.fetchRequest.fetchBatchSize = min(max(numberOfRows, 1), 50)
        let columns = try Column.columns(columns, for: list, in: container)
        let cacheName = try cache.map { try CacheName($0) }
        // The fetch creates the directory.
        let missingDirectory = cacheDirectory.missingDirectory
        let controller = try FetchedResultsController(
            fetchRequest: list.fetchRequest, context: container.newContext(),
            sectionNameKeyPath: list.sectionKey,
            cacheName: cacheName, cacheStore: SectionCacheStore(directory: cacheDirectory.directory))
        // Sections and rows are read from one state, even if other programs write in the meantime.
        controller.managedObjectContext.pinBriefly()
        try controller.performFetch()
        let listing = Listing(
            storePath: store, request: list, controller: controller, columns: columns,
            numberOfRows: numberOfRows,
            sectionName: section, describesProperties: choosesNoList,
            missingDirectory: missingDirectory, beforeOpening: beforeOpening)
        if json {
            try listing.printJSON()
        } else {
            try listing.printText()
        }
    }
}
