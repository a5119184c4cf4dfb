import GRDB

extension PersistentContainer {
    /// Brings the control tables and triggers of a store of a former format into the present one.
    ///
    /// A file that cannot be written stays as it is: it can be read all the same, and nothing will be logged
    /// because nothing will be written.
    static func upgrade(_ writer: any DatabaseWriter) throws {
        do {
            try writer.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    // Another process may have been quicker.
                    guard let kept = try keptModel(in: database), kept.format < StoreSchema.format else {
                        return .rollback
                    }
                    try ChangeTracking.upgrade(ManagedObjectModel(jsonText: kept.jsonText), in: database)
                    return .commit
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            return
        }
    }
}
