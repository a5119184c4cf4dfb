import ToolSupport

/// What an import did.
struct ImportSummary: Equatable {
    /// Rows that were not there before.
    var inserted = 0
    /// Rows that were there with other values.
    var updated = 0
    /// Rows that were there as they are.
    var unchanged = 0
    /// Records that are no rows.
    var skipped = 0
    /// Objects that were made because a row named them.
    var createdRelated = 0
    /// The rows that are in the store, whether they were before or not.
    var rows: Int { inserted + updated + unchanged }

    /// The summary for people.
    func text(_ elapsed: Duration) -> String {
        let counts = [
            (inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged"), (skipped, "skipped"),
        ]
        return counts.map { "\(Quantity.count($0)) \($1)" }.joined(separator: ", ")
            + ", \(Quantity.count(createdRelated, "related object")) made; \(Quantity.duration(elapsed)), "
            + "\(Quantity.count(rate(elapsed))) rows/s"
    }

    /// The summary for programs.
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
