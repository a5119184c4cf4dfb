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
    init(reloading old: ShownSections, as new: ShownSections) {
        let deletions = (0..<old.count).reversed().map { position in
            SectionEvent(.deletion, from: (position, old.section(at: position)), to: nil)
        }
        let insertions = (0..<new.count).map { position in
            SectionEvent(.insertion, from: nil, to: (position, new.section(at: position)))
        }
        self.init(sectionEvents: deletions + insertions, isReload: true)
    }
}

extension ResultsChange.SectionEvent {
    /// Makes an event of a section in the old and in the new state, each with its position.
    init(
        _ kind: ResultsChange.Kind, from old: (position: Int, section: SectionIndex.Section)?,
        to new: (position: Int, section: SectionIndex.Section)?
    ) {
        let section = new?.section ?? old?.section
        self.init(
            kind: kind, identity: section?.identity ?? [], name: section?.name ?? "",
            oldName: old?.section.name, indexTitle: section?.indexTitle ?? "", oldPosition: old?.position,
            newPosition: new?.position, oldNumberOfObjects: old?.section.rows.count,
            newNumberOfObjects: new?.section.rows.count)
    }
}
