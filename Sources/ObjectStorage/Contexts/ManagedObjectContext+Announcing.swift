extension ManagedObjectContext {
    /// Tells each object that is to be saved, also those that are changed, inserted and deleted meanwhile.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/alreadySaving`` if one of them asks
    ///   for the save.
    func announceSave() throws(ObjectStorageError) {
        guard !isAnnouncingSave else {
            throw ObjectStorageError(
                .alreadySaving,
                "The context is about to save, and an object's willSave() asked for another save. What it changes is saved anyway."
            )
        }
        isAnnouncingSave = true
        defer { isAnnouncingSave = false }
        var told: [ManagedObject] = []
        var number: Int
        repeat {
            number = told.count
            for object in pending where !object.isToldOfSave && object.hasChanges {
                object.isToldOfSave = true
                told.append(object)
                object.willSave()
            }
        } while told.count > number
        for object in told { object.isToldOfSave = false }
    }
}

extension PendingChanges {
    /// Tells the objects that they were saved.
    func announceSaved() {
        for object in inserted + updated { object.didSave() }
        for object in onlyRelinked { object.didSave() }
        for object in deleted { object.didSave() }
    }
}
