import Foundation
import SectionedFetch
import ToolSupport

extension ImportRecord {
    /// The time as text in UTC.
    private var time: String {
        ISO8601Text.text(date.timeIntervalSinceReferenceDate.rounded(.down)) ?? "\(date)"
    }

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
    }

    /// The import as JSON.
    var json: JSONValue {
        .object(
            [
                .init("number", .integer(number)), .init("time", .string(time)),
                .init("file", .string(fileName)), .init("digest", .string(ifPresent: digest)),
                .init("entity", .string(entityName)), .init("options", .string(options)),
            ] + namedCounts.map { .init($0.name, .count($0.count)) }
                + [.init("createdRelated", .count(counts.createdRelated))])
    }
}
