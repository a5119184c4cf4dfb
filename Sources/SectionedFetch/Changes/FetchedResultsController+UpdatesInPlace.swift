import Foundation
import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// The updates that some saves of the context are, if they changed nothing that decides about the places of rows. Then nothing is read
    /// of the rows.
    ///
    /// - Parameters:
    ///   - rows: The rows that changed.
    ///   - basis: What the snapshot is as of.
    /// - Returns: Nil if rows may have come, gone or moved.
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*, and for each the number of rows that came and went in its chunk.
    func updatesInPlace(
        _ old: Results, _ rows: ChangedRows, _ tracking: ChangeTracking, _ basis: ResultsBasis,
        in snapshot: StoreSnapshot
    ) throws -> [ChangeComputation.Row]? {
        guard let saves = tracking.savesInPlace, !saves.isEmpty, rows.isComplete, !old.rows.isReplaced,
            let former = old.basis, former.isOfSavedRowsAlone, basis.isOfSavedRowsAlone,
            old.provisionalKeys.isEmpty, tracking.heard.refreshedObjectIDs.isEmpty,
            // What else happened is not known to be as harmless.
            let tables = former.tables, tables.passing(saves.flatMap(\.tables)) == basis.tables,
            let tableName = request.tableName, try snapshot.hasOnlyOwnTriggers()
        else { return nil }
        var saved: Set<Int64> = []
        for save in saves {
            for objectID in save.updatedObjectIDs {
                guard request.model.entity(named: objectID.entityName)?.tableName == tableName,
                    let key = objectID.primaryKey
                else { return nil }
                saved.insert(key)
            }
        }
        guard rows.keys.allSatisfy(saved.contains), let positions = old.editor.positions(of: rows.keys) else {
            return nil
        }
        let found = zip(rows.keys, positions).compactMap { key, position in position.map { ($0, key) } }
        return found.sorted { $0.0 < $1.0 }.map { position, key in
            let section = old.index.sectionPosition(containing: position)
            let path: IndexPath = [section, position - old.index.rows(ofSection: section).lowerBound]
            return ChangeComputation.Row(key: key, kind: .update, oldPath: path, newPath: path)
        }
    }
}

extension ResultsBasis {
    /// Whether no change is part of the results that is not saved and sealed.
    fileprivate var isOfSavedRowsAlone: Bool {
        !includesUnsavedChanges && touchedContents.isEmpty && shown.isEmpty
    }
}
