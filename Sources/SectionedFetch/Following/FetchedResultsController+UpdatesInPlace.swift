import Foundation
import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// The updates that some transactions are, if they changed nothing that decides about the places of rows.
    /// Then nothing is read of the rows.
    ///
    /// - Parameters:
    ///   - rows: The rows that changed.
    ///   - version: What the snapshot is as of.
    /// - Returns: Nil if rows may have come, gone or moved.
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*, and for each the number of rows that came
    ///   and went in its chunk.
    func updatesInPlace(
        _ old: Results, _ rows: ChangedRows, _ tracking: ResultsFollower, _ version: ResultsVersion,
        in snapshot: StoreSnapshot
    ) throws -> [ChangeComputation.Row]? {
        // What another request read is another question, and so is what is read of other tables.
        let harmless = tracking.updates.filter {
            $0.transition.tableName == request.tableName
                && ($0.properties.isDisjoint(with: request.propertiesRead)
                    || Mutant.misjudgedUpdate.isPlanted)
        }
        guard !harmless.isEmpty, rows.isComplete, !old.rows.isUnreadable, old.provisionalKeys.isEmpty,
            snapshot.isTracked, old.version.isOfSavedRowsAlone, version.isOfSavedRowsAlone,
            // If anything else happened, the tables are in another state.
            let tables = old.version.tables, tables.passing(harmless.map(\.transition)) == version.tables,
            try snapshot.hasOnlyOwnTriggers(),
            let positions = old.editor.positions(of: rows.keys)
        else { return nil }
        let found = zip(rows.keys, positions).compactMap { key, position in
            rows.changedKeys.contains(key) ? position.map { (position: $0, key: key) } : nil
        }
        return found.sorted { $0.position < $1.position }.map { position, key in
            let section = old.index.sectionPosition(containing: position)
            let path: IndexPath = [section, position - old.index.rows(ofSection: section).lowerBound]
            return ChangeComputation.Row(key: key, kind: .update, oldPath: path, newPath: path)
        }
    }
}

extension ResultsVersion {
    /// Whether no change is part of the results that is not saved and stamped.
    fileprivate var isOfSavedRowsAlone: Bool {
        !includesUnsavedChanges && touchedContents.isEmpty && shown.isEmpty
    }
}
