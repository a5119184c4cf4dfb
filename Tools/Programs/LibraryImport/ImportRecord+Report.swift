import Foundation
import SectionedFetch
import ToolSupport

extension ImportRecord {
    /// The time as text in UTC.
    private var time: String {
        ISO8601Text.text(date.timeIntervalSinceReferenceDate.rounded(.down)) ?? "\(date)"
    }

    /// The counts with their names.
    private var namedCounts: [(name: String, count: Int64)] {
        zip(["inserted", "updated", "unchanged", "skipped", "createdRelated"], counts).map { ($0, $1) }
    }

    /// The import as a line of text.
    var line: String {
        let counts = namedCounts.dropLast().map { "\(Quantity.count($0.count)) \($0.name)" }
        let related = Quantity.count(Int(self.counts.last ?? 0), "related object")
        return
            "\(number)  \(time)  “\(fileName)” into \(entityName): \(counts.joined(separator: ", ")), \(related) created"
            + (options.isEmpty ? "" : "; \(options)")
    }

    /// The import as JSON.
    var json: JSONValue {
        .object(
            [
                .init("number", .integer(number)), .init("time", .string(time)),
                .init("file", .string(fileName)), .init("digest", .string(ifPresent: digest)),
                .init("entity", .string(entityName)), .init("options", .string(options)),
            ] + namedCounts.map { .init($0.name, .integer($0.count)) })
    }
}
