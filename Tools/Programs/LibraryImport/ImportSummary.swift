import SectionedFetch
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
    /// The texts that their attributes changed, by the position of the mapping's column.
    private(set) var changes: [Int: ChangedTexts] = [:]
    /// The number of texts that their attributes changed.
    var changedTextCount: Int { changes.values.reduce(0) { $0 + $1.count } }
    /// The rows whose values replaced those of an earlier row of the file with the same key.
    var repeatedRows = RepeatedRows()
    /// The number of related objects that were created because a row named them.
    var createdRelated = 0
    /// The number of records that are rows of the store after the import.
    var rows: Int { inserted + updated + unchanged }

    /// The counts as a store records them.
    var counts: ImportCounts {
        ImportCounts(
            inserted: inserted, updated: updated, unchanged: unchanged, skipped: skipped,
            createdRelated: createdRelated)
    }

    /// Creates a summary without rows, or the summary of an import that continues.
    init(_ counts: ImportCounts = ImportCounts()) {
        inserted = counts.inserted
        updated = counts.updated
        unchanged = counts.unchanged
        skipped = counts.skipped
        createdRelated = counts.createdRelated
    }

    /// Adds the changed texts of a column.
    mutating func add(_ changed: ChangedTexts, _ position: Int) {
        changes[position, default: ChangedTexts()].add(changed)
    }

    /// Adds the counts of another import.
    mutating func add(_ other: ImportSummary) {
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
        skipped += other.skipped
        createdRelated += other.createdRelated
        for (position, changed) in other.changes { add(changed, position) }
        repeatedRows.add(other.repeatedRows)
    }

    /// Rows whose values replaced those of an earlier row of their file with the same key.
    struct RepeatedRows: Equatable {
        /// The number of rows.
        private(set) var count = 0
        /// The line of the first of them.
        private(set) var line = 0

        /// Adds a row.
        mutating func add(line: Int) {
            if count == 0 { self.line = line }
            count += 1
        }

        /// Adds the rows of another file.
        mutating func add(_ other: Self) {
            if count == 0 { line = other.line }
            count += other.count
        }
    }

    /// Returns the summary as one line of text.
    func text(_ elapsed: Duration) -> String {
        let counts = [
            (inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged"), (skipped, "skipped"),
        ]
        return counts.map { "\(Quantity.count($0)) \($1)" }.joined(separator: ", ")
            + ", \(Quantity.count(createdRelated, "related object")) created"
            + (changes.isEmpty ? "" : ", \(Quantity.count(changedTextCount, "text")) changed")
            + "; \(Quantity.duration(elapsed)), "
            + "\(Quantity.count(rate(elapsed))) rows/s"
    }

    /// Returns the summary as JSON.
    ///
    /// - Parameters:
    ///   - preview: The examples of a dry run.
    ///   - leading: The members before the counts.
    func json(
        _ elapsed: Duration, dryRun isDryRun: Bool, _ preview: ImportPreview?,
        after leading: [JSONValue.Member] = []
    ) -> JSONValue {
        var members: [JSONValue.Member] =
            leading + [
                .init("inserted", .count(inserted)), .init("updated", .count(updated)),
                .init("unchanged", .count(unchanged)), .init("skipped", .count(skipped)),
                .init("createdRelated", .count(createdRelated)),
                .init("repeatedRows", .count(repeatedRows.count)),
                .init("changedTexts", .count(changedTextCount)),
                .init("seconds", .number(Quantity.seconds(elapsed))),
                .init("rowsPerSecond", .count(rate(elapsed))),
            ]
        if isDryRun { members.append(.init("dryRun", true)) }
        if let preview { members.append(.init("examples", preview.json)) }
        return .object(members)
    }

    private func rate(_ elapsed: Duration) -> Int {
        Int(Double(rows) / max(Quantity.seconds(elapsed), 0.000_001))
    }
}
