import GRDB

extension PersistentContainer {
    /// Upgrades the control tables and triggers of a store of an earlier format to the current one.
    ///
    /// A file that cannot be written is left unchanged: it can still be read, and without writes no log is
    /// needed.
    static func upgrade(_ writer: any DatabaseWriter) throws {
        do {
            try writer.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    // Another process may have been faster.
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
