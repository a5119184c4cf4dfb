extension ManagedObjectContext {
    /// Marks an object for deletion by the next save.
    ///
    /// An object that was never saved is discarded, together with the objects that its cascade rules delete;
    /// its deny rules do not apply.
    ///
    /// Relationships of this context's objects that lead to the object become nil immediately. Delete rules
    /// that cascade or deny are carried out by the save; with an ``undoManager``, cascade rules are carried
    /// out immediately, so that an undo restores all objects together.
    ///
    /// - Parameter object: An object of this context; any other traps. Deleting an object again has no
    ///   effect.
    public func delete(_ object: ManagedObject) {
        precondition(
            object.managedObjectContext === self,
            "\(object.objectID) belongs to another context; delete it there.")
        markDeleted(object, notifies: true)
        guard undoManager != nil, object.state == .deleted else { return }
        do throws(ObjectStorageError) {
            try propagate([object])
        } catch {
            // Processing or saving the changes carries out the rules again.
            object.readError = error
        }
    }

    /// Marks one object as deleted, together with the objects that its cascade rules delete if it was never
    /// saved.
    ///
    /// - Parameter notifies: Whether ``ManagedObject/prepareForDeletion()`` is called: not for an undo or a
    ///   redo.
    func markDeleted(_ object: ManagedObject, notifies: Bool = false) {
        var queue = [object]
        var marked: [ManagedObject] = []
        while let object = queue.popLast() {
            guard !object.isDeleted, !objectsPreparedForDeletion.contains(object) else { continue }
            if notifies {
                objectsPreparedForDeletion.append(object)
                object.prepareForDeletion()
                objectsPreparedForDeletion.removeLast()
                // The call may have undone the insertion.
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
        // An undo restores the first object before the objects deleted with it, and all of them before the
        // relationships that lead to them.
        for object in marked.reversed() { undoManager?.record(.deletion(object)) }
    }

    /// Carries out the delete rules of all objects marked for deletion, including those that the rules mark.
    /// Deny rules are checked after all objects are marked, so that the order of the deletions does not
    /// matter.
    ///
    /// - Parameter isRefusing: Whether deny rules are checked. A fetch does not check them: it must be able
    ///   to show the objects that prevent a deletion.
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

    /// Carries out the cascade rules of deleted objects, and of the objects that these rules delete.
    private func propagate(_ deleted: [ManagedObject]) throws(ObjectStorageError) {
        var queue = deleted
        while let object = queue.popLast() {
            for relationship in object.entity.relationships where relationship.deleteRule == .cascade {
                for other in try objectsLeftBehind(by: object, through: relationship) {
                    markDeleted(other, notifies: true)
                    if other.state == .deleted { queue.append(other) }
                }
            }
        }
    }

    /// Returns the objects that an unsaved object's cascade rules delete. Its relationships are in memory
    /// only, so the store is not read.
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

    /// Returns the objects at the other end of a deleted object's relationship that are not deleted
    /// themselves.
    private func objectsLeftBehind(
        by object: ManagedObject, through relationship: RelationshipDescription
    ) throws(ObjectStorageError) -> [ManagedObject] {
        if relationship.isToMany {
            return try objects(relatedTo: object, through: relationship).filter { !$0.isDeleted }
        }
        return try object.relatedObject(relationship.name).map { [$0] } ?? []
    }
}
