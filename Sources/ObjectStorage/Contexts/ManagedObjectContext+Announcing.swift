extension ManagedObjectContext {
    /// Calls ``ManagedObject/willSave()`` on each object that the save writes, including objects that these
    /// calls change, insert or delete.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/alreadySaving`` if one of the objects
    ///   calls `save()`.
    func announceSave() throws(ObjectStorageError) {
        guard !isAnnouncingSave else {
            throw ObjectStorageError(
                .alreadySaving,
                "An object's willSave() called save() while the context is saving. Changes made in willSave() are saved without another call; remove it."
            )
        }
        isAnnouncingSave = true
        defer { isAnnouncingSave = false }
        var notified: [ManagedObject] = []
        var number: Int
        repeat {
            number = notified.count
            for object in pending where !object.isNotifiedOfSave && object.hasChanges {
                object.isNotifiedOfSave = true
                notified.append(object)
                object.willSave()
            }
        } while notified.count > number
        for object in notified { object.isNotifiedOfSave = false }
    }
}

extension PendingChanges {
    /// Calls ``ManagedObject/didSave()`` on the saved objects.
    func announceSaved() {
        for object in inserted + updated { object.didSave() }
        for object in onlyRelinked { object.didSave() }
        for object in deleted { object.didSave() }
    }
}
