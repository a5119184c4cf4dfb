import Foundation
import SectionedFetch
import ToolSupport

extension ImportRecord {
    /// The time as text in UTC.
    private var time: String { Self.text(date) }

    /// The counts with their names.
    private var namedCounts: [(name: String, count: Int)] {
        [
            ("inserted", counts.inserted), ("updated", counts.updated), ("unchanged", counts.unchanged),
            ("skipped", counts.skipped),
        ]
    }

    /// The import as a line of text.
    var line: String {
        let rows = namedCounts.map { "\(Quantity.count($0.count)) \($0.name)" }
        let related = Quantity.count(counts.createdRelated, "related object")
        return
            "\(number)  \(time)  “\(fileName)” into \(entityName): \(rows.joined(separator: ", ")), \(related) created"
            + (options.isEmpty ? "" : "; \(options)")
            + (isComplete ? "" : "; unfinished")
            + (undoneTime.map { "; undone at \($0)" } ?? undoText.map { "; \($0)" } ?? "")
    }

    private var undoneTime: String? { undoneDate.map(Self.text) }

    /// The reason why the import cannot be undone; nil if it can, or if it recorded none.
    private var undoText: String? {
        switch undoData {
        case .kept, .none: nil
        case .dropped: "undo data dropped"
        case .tooLarge: "undo data too large"
        }
    }

    private static func text(_ date: Date) -> String {
        ISO8601Text.text(date.timeIntervalSinceReferenceDate.rounded(.down)) ?? "\(date)"
    }

    /// The size of the data with which the import can be undone, or nil if it cannot be undone.
    private var undoBytes: Int? {
        if case .kept(let bytes) = undoData { bytes } else { nil }
    }

    /// The import as JSON.
    var json: JSONValue {
        .object(
            [
                .init("number", .integer(number)), .init("time", .string(time)),
                .init("file", .string(fileName)), .init("digest", .string(ifPresent: digest)),
                .init("entity", .string(entityName)), .init("options", .string(options)),
            ] + namedCounts.map { .init($0.name, .count($0.count)) }
                + [
                    .init("createdRelated", .count(counts.createdRelated)),
                    .init("complete", .boolean(isComplete)),
                    .init("undone", .string(ifPresent: undoneTime)),
                    .init("undoBytes", undoBytes.map { .count($0) } ?? .null),
                ])
    }
}
