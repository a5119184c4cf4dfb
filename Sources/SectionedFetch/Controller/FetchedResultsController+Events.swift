import Foundation
import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// Makes a change from the events of a difference by adding the object IDs of the rows, the sections on
    /// both sides, and the known differences in content.
    ///
    /// - Parameter record: The changes that the context announced since the old results.
    func report(
        _ difference: ResultsDifference, _ old: Results, _ found: Found, _ record: ChangeRecord
    ) throws(ObjectStorageError) -> ResultsChange {
        let rows = difference.rows
        // Paths of sections with and without subsections cannot be compared.
        guard rows.isEmpty || rows.count < reloadThreshold, old.shown.isNested == shown(found).isNested else {
            return ResultsChange(reloading: old.shown, as: shown(found))
        }
        let numberOfDeletions = rows.prefix { $0.kind == .deletion }.count
        var unsaved: [Int64: ManagedObject] = [:]
        for (object, key) in old.provisionalKeys { unsaved[key] = object }
        let objectIDs =
            try identities(
                of: rows.prefix(numberOfDeletions).map(\.key), unsaved, entityName: old.rows.entityName,
                gone: record.changes.deletedObjectIDs)
            + identities(
                of: rows.dropFirst(numberOfDeletions).map(\.key), found.provisionalObjects,
                entityName: fetchRequest.entityName)
        let nested =
            old.shown.isNested
            ? NestedChange(difference.sectionEvents, from: old.shown, to: shown(found)) : nil
        var sectionEvents = nested?.sectionEvents ?? difference.sectionEvents
        for index in sectionEvents.indices {
            let event = sectionEvents[index]
            if let title = delegateTitle(event.name) { sectionEvents[index].indexTitle = title }
        }
        let change = ResultsChange(
            sectionEvents: sectionEvents, subsectionEvents: nested?.subsectionEvents ?? [],
            rowEvents: rowEvents(rows, objectIDs, difference.causes, old, found, record).filter(reports))
        return collapsedSections.isEmpty ? change : collapsing(change, from: old, to: shown(found))
    }

    /// The sections of results that were just found.
    func shown(_ found: Found) -> ShownSections { ShownSections(found.index, sectionKey) }

    private func rowEvents(
        _ rows: [ChangeComputation.Row], _ objectIDs: [ObjectID], _ causes: ChangeCauses, _ old: Results,
        _ found: Found, _ record: ChangeRecord
    ) -> [ResultsChange.RowEvent] {
        let differences = RowDifferences(
            ObjectDifferences(
                in: managedObjectContext, shown: old.version.shown, previousRows: record.previousRows,
                trustsSaves: record.listsAllRows(from: old.version.tables, to: found.version.tables)
                    && !managedObjectContext.container.isReadOnly,
                writtenProperties: record.writtenProperties(
                    from: old.version.tables, to: found.version.tables),
                oldEpoch: old.readEpoch, includesUnsavedChanges: fetchRequest.includesPendingChanges),
            causes, isMerged: record.announcesAllChanges(from: old.version.tables, to: found.version.tables))
        let new = shown(found)
        var oldSections = EventSections(old.shown)
        var newSections = EventSections(new)
        return zip(rows, objectIDs).map { row, objectID in
            let oldPath = new.isNested ? NestedChange.path(row.oldPath, in: old.shown) : row.oldPath
            let newPath = new.isNested ? NestedChange.path(row.newPath, in: new) : row.newPath
            return ResultsChange.RowEvent(
                kind: row.kind, objectID: objectID, indexPath: oldPath, newIndexPath: newPath,
                oldSection: oldPath.map { oldSections.section(at: $0[0]) },
                newSection: newPath.map { newSections.section(at: $0[0]) },
                difference: differences.difference(of: row.kind, objectID, key: row.key))
        }
    }

    /// Returns the IDs of the objects with some keys, in the order of the keys.
    ///
    /// - Parameter gone: The IDs of objects that are known to be deleted.
    private func identities(
        of keys: [Int64], _ unsaved: [Int64: ManagedObject], entityName: String, gone: Set<ObjectID> = []
    ) throws(ObjectStorageError) -> [ObjectID] {
        let saved = keys.filter { unsaved[$0] == nil }
        managedObjectContext.noteConcreteEntities(ofGone: gone)
        var objectIDs = try managedObjectContext.objectIDs(
            ofKeys: saved, entityName: entityName, gone: gone,
            concreteEntities: Mutant.forgottenKind.isPlanted ? ConcreteEntityCache() : nil)
        objectIDs.reverse()
        return keys.map { unsaved[$0]?.objectID ?? objectIDs.removeLast() }
    }
}
