import Foundation
import ObjectStorage
import SectionCaching

extension ResultsChange {
    /// What changed between two states.
    ///
    /// - Parameters:
    ///   - changedKeys: The rows whose content changed, among others.
    ///   - objectIDs: The identities of rows: of deleted ones, and of those in the new state.
    /// - Complexity: That of ``ChangeComputation``.
    init(
        from old: SectionedRows, to new: SectionedRows, changedKeys: Set<Int64>,
        objectIDs: (_ keys: [Int64], _ areDeleted: Bool) throws(ObjectStorageError) -> [ObjectID]
    ) throws(ObjectStorageError) {
        let computation = ChangeComputation(from: old, to: new, changedKeys: changedKeys)
        let numberOfDeletions = computation.rows.prefix { $0.kind == .deletion }.count
        let identities =
            try objectIDs(computation.rows.prefix(numberOfDeletions).map(\.key), true)
            + objectIDs(computation.rows.dropFirst(numberOfDeletions).map(\.key), false)
        self.init(
            sectionEvents: computation.sectionEvents,
            rowEvents: zip(computation.rows, identities).map { row, objectID in
                RowEvent(
                    kind: row.kind, objectID: objectID, indexPath: row.oldPath, newIndexPath: row.newPath)
            })
    }

    /// All sections of one state gone and all of another there.
    init(reloading old: SectionIndex, as new: SectionIndex) {
        let deletions = (0..<old.numberOfSections).reversed().map { position in
            let section = old.section(at: position)
            return SectionEvent(
                kind: .deletion, identity: section.identity, name: section.name, oldPosition: position,
                newPosition: nil)
        }
        let insertions = (0..<new.numberOfSections).map { position in
            let section = new.section(at: position)
            return SectionEvent(
                kind: .insertion, identity: section.identity, name: section.name, oldPosition: nil,
                newPosition: position)
        }
        self.init(sectionEvents: deletions + insertions, isReload: true)
    }
}
