import GRDB

extension PersistentContainer {
    /// Runs a statement about the store's own upkeep: an index of the application's choice, `ANALYZE`,
    /// `VACUUM`.
    ///
    /// - Throws: ``ObjectStorageError`` if SQLite refuses.
    package func runMaintenance(_ sql: String) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Maintaining the store") {
            try connections.write { database in
                try connections.keepingFromReading(database) { try database.run(sql) }
            }
        }
    }
}
