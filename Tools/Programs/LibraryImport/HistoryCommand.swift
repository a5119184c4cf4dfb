import ArgumentParser
import Foundation
import SectionedFetch
import ToolSupport

/// `library-import history`: lists the imports that a store records.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Lists the imports into a store.",
        discussion: """
            A store records its last \(Quantity.count(ImportRecord.capacity)) complete imports, with the time, the file's name \
            and digest, the entity, the options and the counts. Nothing is written.
            """)

    @Argument(help: "The store.")
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

extension ImportRecord {
    /// The time as text in UTC.
    fileprivate var time: String {
        ISO8601Text.text(date.timeIntervalSinceReferenceDate.rounded(.down)) ?? "\(date)"
    }

    /// The counts with their names.
    private var namedCounts: [(name: String, count: Int64)] {
        zip(["inserted", "updated", "unchanged", "skipped", "createdRelated"], counts).map { ($0, $1) }
    }

    fileprivate var line: String {
        let counts = namedCounts.dropLast().map { "\(Quantity.count($0.count)) \($0.name)" }
        let related = Quantity.count(Int(self.counts.last ?? 0), "related object")
        return
            "\(number)  \(time)  “\(fileName)” into \(entityName): \(counts.joined(separator: ", ")), \(related) created"
            + (options.isEmpty ? "" : "; \(options)")
    }

    fileprivate var json: JSONValue {
        .object(
            [
                .init("number", .integer(number)), .init("time", .string(time)),
                .init("file", .string(fileName)), .init("digest", .string(ifPresent: digest)),
                .init("entity", .string(entityName)), .init("options", .string(options)),
            ] + namedCounts.map { .init($0.name, .integer($0.count)) })
    }
}
