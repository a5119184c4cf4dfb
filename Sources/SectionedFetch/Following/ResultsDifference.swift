import ObjectStorage
import SectionCaching

/// The difference between two states of results, without the object IDs of its rows. Deleted rows have the
/// keys of the old results.
struct ResultsDifference: Sendable {
    let sectionEvents: [ResultsChange.SectionEvent]
    let rows: [ChangeComputation.Row]
    /// The causes of the changes of rows.
    let causes: ChangeCauses

    /// Creates a value from a known difference.
    init(
        sectionEvents: [ResultsChange.SectionEvent], rows: [ChangeComputation.Row], causes: ChangeCauses
    ) {
        self.sectionEvents = sectionEvents
        self.rows = rows
        self.causes = causes
    }

    /// Compares all rows of two states.
    ///
    /// - Parameter changed: The rows that changed between them.
    /// - Returns: Nil if rows of either state can no longer be read.
    /// - Complexity: O(*n* log *n*) in the number of rows; O(*n*) if the order of no row changed.
    init?(from old: ResultsIndex, to new: SectionIndex, _ changed: ChangedRows) {
        guard let oldKeys = old.allKeys(), let newKeys = new.rowIDs(in: 0..<new.numberOfRows) else {
            return nil
        }
        var currentKeys: [Int64: Int64] = [:]
        for (key, previous) in changed.previousKeys { currentKeys[previous] = key }
        for (number, key) in changed.goneKeys.enumerated() { currentKeys[key] = .min + 1 + Int64(number) }
        let computation = ChangeComputation(
            from: SectionedRows(old.index, keys: oldKeys.map { currentKeys[$0] ?? $0 }),
            to: SectionedRows(new, keys: newKeys), changedKeys: changed.changedKeys)
        causes = changed.causes
        sectionEvents = computation.sectionEvents
        rows = computation.rows.map { row in
            guard row.kind == .deletion else { return row }
            let number = Int(truncatingIfNeeded: row.key &- (.min + 1))
            let isGone = changed.goneKeys.indices.contains(number)
            return ChangeComputation.Row(
                key: isGone ? changed.goneKeys[number] : changed.previousKey(of: row.key), kind: .deletion,
                oldPath: row.oldPath, newPath: nil)
        }
    }
}
