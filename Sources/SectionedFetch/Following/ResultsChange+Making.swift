import ObjectStorage
import SectionCaching

extension ResultsChange {
    /// Makes a change of events and the object IDs of their rows.
    init(_ sectionEvents: [SectionEvent], _ rows: [ChangeComputation.Row], objectIDs: [ObjectID]) {
        self.init(
            sectionEvents: sectionEvents,
            rowEvents: zip(rows, objectIDs).map { row, objectID in
                RowEvent(
                    kind: row.kind, objectID: objectID, indexPath: row.oldPath, newIndexPath: row.newPath)
            })
    }

    /// Makes a reload: all sections of one state are deleted, and all of another are inserted.
    init(reloading old: SectionIndex, as new: SectionIndex) {
        let deletions = (0..<old.numberOfSections).reversed().map { position in
            SectionEvent(.deletion, of: old.section(at: position), from: position, to: nil)
        }
        let insertions = (0..<new.numberOfSections).map { position in
            SectionEvent(.insertion, of: new.section(at: position), from: nil, to: position)
        }
        self.init(sectionEvents: deletions + insertions, isReload: true)
    }
}

extension ResultsChange.SectionEvent {
    /// - Parameter section: The section in the new state; for a deletion, in the old one.
    init(
        _ kind: ResultsChange.Kind, of section: SectionIndex.Section, from oldPosition: Int?,
        to newPosition: Int?
    ) {
        self.init(
            kind: kind, identity: section.identity, name: section.name, oldPosition: oldPosition,
            newPosition: newPosition)
    }
}
