import ObjectStorage
import SectionCaching

extension ResultsChange {
    /// Events with the identities of their rows.
    init(_ sectionEvents: [SectionEvent], _ rows: [ChangeComputation.Row], objectIDs: [ObjectID]) {
        self.init(
            sectionEvents: sectionEvents,
            rowEvents: zip(rows, objectIDs).map { row, objectID in
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
