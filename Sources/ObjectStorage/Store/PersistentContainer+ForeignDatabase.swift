import GRDB

extension PersistentContainer {
    /// Returns the error for the database of another program, with the ways to open it.
    static func foreignDatabase(_ database: Database) throws -> ObjectStorageError {
        let names = try database.rows(
            "SELECT name FROM main.sqlite_schema WHERE name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
        guard names.count < 2 else {
            return ObjectStorageError(
                .foreignStore,
                "The file is a store of Core Data, and not of this library: it has no table sc_store. Open it with PersistentContainer(coreDataStore:) of CoreDataStores, or move its contents into a new store: library-import --from."
            )
        }
        return ObjectStorageError(
            .foreignStore,
            "The file is an SQLite database of another program, and not a store of this library: it has no table sc_store. Check the path, map the model's entities to its tables (ExistingTable), infer a model (DatabaseSurvey), or pass the program's connection to share the database."
        )
    }
}
