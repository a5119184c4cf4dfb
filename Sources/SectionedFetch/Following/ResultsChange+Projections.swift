import Foundation
public import ObjectStorage

extension ResultsChange {
    /// The change for table views that refuse a row which moves out of a deleted section or into an inserted
    /// one: such a move is replaced by a deletion and an insertion.
    ///
    /// - Complexity: O(*n* log *n*) in the number of events.
    public var forTableViews: ResultsChange {
        var deleted: Set<IndexPath> = []
        var inserted: Set<IndexPath> = []
        for event in sectionEvents {
            if event.kind == .deletion, let position = event.oldPosition { deleted.insert([position]) }
            if event.kind == .insertion, let position = event.newPosition { inserted.insert([position]) }
        }
        for event in subsectionEvents {
            if event.kind == .deletion, let path = event.indexPath { deleted.insert(path) }
            if event.kind == .insertion, let path = event.newIndexPath { inserted.insert(path) }
        }
        func isPart(_ path: IndexPath, of sections: Set<IndexPath>) -> Bool {
            (1..<path.count).contains { sections.contains(path.prefix($0)) }
        }
        guard !deleted.isEmpty || !inserted.isEmpty else { return self }
        var deletions = rowEvents.filter { $0.kind == .deletion }
        var insertions = rowEvents.filter { $0.kind == .insertion }
        var others: [RowEvent] = []
        for event in rowEvents where event.kind == .move || event.kind == .update {
            guard event.kind == .move, let old = event.indexPath, let new = event.newIndexPath,
                isPart(old, of: deleted) || isPart(new, of: inserted)
            else {
                others.append(event)
                continue
            }
            deletions.append(event.asDeletion)
            insertions.append(event.asInsertion)
        }
        return ResultsChange(
            sectionEvents: sectionEvents, subsectionEvents: subsectionEvents,
            rowEvents: deletions.fromTheEnd + insertions.fromTheBeginning + others, isReload: isReload)
    }

    /// The change without its rows, for views that show only sections. It may be empty.
    public var sectionsOnly: ResultsChange {
        ResultsChange(sectionEvents: sectionEvents, subsectionEvents: subsectionEvents, isReload: isReload)
    }

    /// The change as a difference of the object IDs of the first section, which without a section key
    /// contains all rows. Nil for a reload, and if a section, or a row of another section, has an event.
    /// Updates are not part of it.
    ///
    /// - Complexity: O(*n* log *n*) in the number of events.
    public var difference: CollectionDifference<ObjectID>? {
        guard sectionEvents.isEmpty, subsectionEvents.isEmpty, !isReload,
            rowEvents.allSatisfy({ ($0.indexPath ?? $0.newIndexPath)?.count == 2 })
        else { return nil }
        var changes: [CollectionDifference<ObjectID>.Change] = []
        for event in rowEvents {
            guard (event.indexPath?[0] ?? 0) == 0, (event.newIndexPath?[0] ?? 0) == 0 else { return nil }
            guard event.kind != .update else { continue }
            if let old = event.indexPath {
                changes.append(
                    .remove(
                        offset: old[1], element: event.objectID, associatedWith: event.newIndexPath?[1]))
            }
            if let new = event.newIndexPath {
                changes.append(
                    .insert(offset: new[1], element: event.objectID, associatedWith: event.indexPath?[1]))
            }
        }
        return CollectionDifference(changes)
    }
}
