import ToolSupport

/// The counts of an import.
struct ImportSummary: Equatable {
    /// The number of rows that were new.
    var inserted = 0
    /// The number of rows that the store had with other values.
    var updated = 0
    /// The number of rows that the store had with equal values.
    var unchanged = 0
    /// The number of bad records.
    var skipped = 0
    /// The number of related objects that were created because a row named them.
    var createdRelated = 0
    /// The number of records that are rows of the store after the import.
    var rows: Int { inserted + updated + unchanged }

    /// Returns the summary as one line of text.
    func text(_ elapsed: Duration) -> String {
        let counts = [
            (inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged"), (skipped, "skipped"),
        ]
        return counts.map { "\(Quantity.count($0)) \($1)" }.joined(separator: ", ")
            + ", \(Quantity.count(createdRelated, "related object")) created; \(Quantity.duration(elapsed)), "
            + "\(Quantity.count(rate(elapsed))) rows/s"
    }

    /// Returns the summary as JSON.
    func json(_ elapsed: Duration) -> JSONValue {
        [
            "inserted": .count(inserted), "updated": .count(updated), "unchanged": .count(unchanged),
            "skipped": .count(skipped), "createdRelated": .count(createdRelated),
            "seconds": .number(Quantity.seconds(elapsed)), "rowsPerSecond": .count(rate(elapsed)),
        ]
    }

    private func rate(_ elapsed: Duration) -> Int {
        Int(Double(rows) / max(Quantity.seconds(elapsed), 0.000_001))
    }
}
