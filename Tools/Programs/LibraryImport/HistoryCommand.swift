import ArgumentParser
import SectionedFetch
import ToolSupport

/// `library-import history`: lists the imports that a store records.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Lists the imports into a store.",
        discussion: """
            A store records its last \(Quantity.count(ImportRecord.capacity)) imports, with the time, the file's name and digest, \
            the entity, the options and the counts. Imports that were stopped, or that are running, are unfinished. “undo” undoes \
            an import by its number. Nothing is written.
            """)

    @Argument(help: "The store.", completion: .file())
    var store: String

    @OptionGroup var opening: StoreOpeningOptions

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() throws {
        let target = TargetStore(path: store, busyTimeout: opening.busyTimeout)
        let records = try target.open().importRecords()
        try StandardOutput.print(
            asJSON: json, .array(records.map(\.json)),
            lines: records.isEmpty ? ["No import is recorded."] : records.map(\.line))
    }
}
