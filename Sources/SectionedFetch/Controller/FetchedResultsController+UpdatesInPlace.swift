import Foundation
import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// Returns the update events of transactions that wrote no property on which the positions of rows
    /// depend. No row is read for them.
    ///
    /// - Parameters:
    ///   - rows: The rows that changed.
    ///   - version: The version of the results in the snapshot.
    /// - Returns: Nil if rows may have been inserted, deleted or moved.
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*, plus for each the number of rows that were
    ///   inserted into and removed from its chunk.
    func updatesInPlace(
        _ old: Results, _ rows: ChangedRows, _ follower: ResultsFollower, _ version: ResultsVersion,
        in snapshot: StoreSnapshot
    ) throws -> [ChangeComputation.Row]? {
        // Harmless updates wrote the request's own table, and no property that the request reads.
        let harmless = follower.changes.updates.filter {
            request.listedTables.contains($0.transition.tableName)
                && ($0.properties.isDisjoint(with: request.propertiesRead)
                    || Mutant.misjudgedUpdate.isPlanted)
        }
        // A request that reads a reference through the inverse relationship does not read its name.
        guard !harmless.isEmpty, request.collectionSteps.isEmpty, request.shownSteps.isEmpty,
            rows.isComplete, !old.rows.isUnreadable,
            old.provisionalKeys.isEmpty,
            snapshot.isTracked, old.version.isOfSavedRowsAlone, version.isOfSavedRowsAlone,
            // Any other change leaves the tables in another state than these updates do.
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
    /// Whether the results contain saved and stamped changes only.
    fileprivate var isOfSavedRowsAlone: Bool {
        !includesUnsavedChanges && touchedContents.isEmpty && shown.isEmpty
    }
}
