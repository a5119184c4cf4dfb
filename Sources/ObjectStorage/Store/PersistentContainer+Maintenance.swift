import GRDB

extension PersistentContainer {
    /// Runs a maintenance statement: the creation of an additional index, `ANALYZE`, `VACUUM`.
    ///
    /// - Throws: ``ObjectStorageError`` if SQLite reports an error.
    package func runMaintenance(_ sql: String) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Maintaining the store") {
            try connections.write { database in
                try connections.keepingFromReading(database) { try database.run(sql) }
            }
        }
    }
}
