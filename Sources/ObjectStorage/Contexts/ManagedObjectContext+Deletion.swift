extension ManagedObjectContext {
    /// Marks an object for deletion by the next save. Deleting an object that was never saved forgets it, and
    /// what its rules delete with it goes at once; there is nothing that a rule could deny.
    ///
    /// Objects of this context that lead to it forget it at once. Rules that delete further objects or forbid
    /// the deletion are carried out by the save; with an ``undoManager`` what they delete goes at once, to be
    /// undone with it.
    public func delete(_ object: ManagedObject) {
        precondition(
            object.managedObjectContext === self,
            "\(object.objectID) belongs to another context; delete it there.")
        markDeleted(object, isTold: true)
        guard undoManager != nil, object.state == .deleted else { return }
        do throws(ObjectStorageError) {
            try propagate([object])
        } catch {
            // Whoever processes or saves the changes tries again.
            object.readError = error
        }
    }

    /// The same of an object alone, with what goes with it if it was never saved.
    ///
    /// - Parameter isTold: Whether the objects hear of it: not of what repeats or takes back what was done.
    func markDeleted(_ object: ManagedObject, isTold: Bool = false) {
        var queue = [object]
        var marked: [ManagedObject] = []
        while let object = queue.popLast() {
            guard !object.isDeleted, !objectsPreparedForDeletion.contains(object) else { continue }
            if isTold {
                objectsPreparedForDeletion.append(object)
                object.prepareForDeletion()
                objectsPreparedForDeletion.removeLast()
                // It may have taken back that it was inserted.
                guard !object.isDeleted else { continue }
            }
            let loaded = loadForUndo(ofDeleting: object)
            withExtendedLifetime(loaded) {
                if object.state == .inserted {
                    queue += cascadingObjects(of: object).reversed()
                    object.state = .gone
                    forgetReferences(to: object)
                } else {
                    forgetReferences(to: object)
                    object.state = .deleted
                    notePending(object)
                }
            }
            marked.append(object)
        }
        // An undo brings back the first before what goes with it, and all before what leads to them.
        for object in marked.reversed() { undoManager?.record(.deletion(object)) }
    }

    /// Carries out the delete rules of everything marked for deletion, and of what that marks in turn. What
    /// denies a deletion is looked for once all that goes is marked, so that the order in which objects were
    /// deleted does not matter.
    ///
    /// - Parameter isRefusing: Whether a rule may deny a deletion. A fetch is no refusal: it shows what there
    ///   is while what stands in the way is looked for.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/deletionDenied``, naming the
    ///   relationship.
    func propagateDeletions(isRefusing: Bool = true) throws(ObjectStorageError) {
        try propagate(deletedObjects)
        guard isRefusing else { return }
        for object in deletedObjects {
            for relationship in object.entity.relationships where relationship.deleteRule == .deny {
                let related = try objectsLeftBehind(by: object, through: relationship)
                guard !related.isEmpty else { continue }
                throw .deletionDenied(of: object.objectID, by: relationship, count: related.count)
            }
        }
    }

    /// Deletes what the rules of deleted objects delete, and of those in turn.
    private func propagate(_ deleted: [ManagedObject]) throws(ObjectStorageError) {
        var queue = deleted
        while let object = queue.popLast() {
            for relationship in object.entity.relationships where relationship.deleteRule == .cascade {
                for other in try objectsLeftBehind(by: object, through: relationship) {
                    markDeleted(other, isTold: true)
                    if other.state == .deleted { queue.append(other) }
                }
            }
        }
    }

    /// What goes with an object that was never saved. Its relationships are in memory alone, so nothing is
    /// read.
    private func cascadingObjects(of object: ManagedObject) -> [ManagedObject] {
        var cascading: [ManagedObject] = []
        for relationship in object.entity.relationships where relationship.deleteRule == .cascade {
            do throws(ObjectStorageError) {
                cascading += try objectsLeftBehind(by: object, through: relationship)
            } catch {
                object.readError = error
            }
        }
        return cascading
    }

    /// The objects at the other end of a relationship of a deleted object that are not deleted themselves.
    private func objectsLeftBehind(
        by object: ManagedObject, through relationship: RelationshipDescription
    ) throws(ObjectStorageError) -> [ManagedObject] {
        if relationship.isToMany {
            return try objects(relatedTo: object, through: relationship).filter { !$0.isDeleted }
        }
        return try object.relatedObject(relationship.name).map { [$0] } ?? []
    }
}
