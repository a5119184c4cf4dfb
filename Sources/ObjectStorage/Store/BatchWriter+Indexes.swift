import GRDB

extension BatchWriter {
    /// Drops the indexes of an entity's table that do not ensure that values are unique, if the table has no
    /// rows. ``completeIndexes()`` creates them again.
    ///
    /// With two relationships, each row is inserted at a random place of two indexes; creating both from a
    /// million rows takes a tenth of that time.
    ///
    /// If the program ends before the indexes are complete, the store is as one of an earlier version of its
    /// model: the next program that opens it with the model creates them.
    ///
    /// - Returns: Whether indexes were dropped.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read or written.
    package func deferIndexes(ofEntityNamed name: String) throws(ObjectStorageError) -> Bool {
        let tables = container.model.tables
        guard let table = tables.first(where: { $0.entities.contains { $0.name == name } }),
            table.root.mapping == nil
        else { return false }
        let indexes = table.indexes.filter { !$0.isUnique }
        guard !indexes.isEmpty else { return false }
        return try ObjectStorageError.translating("Preparing to write “\(name)”") {
            guard try database.rows("SELECT 1 FROM \(table.root.tableSQL) LIMIT 1").isEmpty,
                let kept = try PersistentContainer.keptModel(in: database)
            else { return false }
            for index in indexes {
                try database.run("DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
            }
            try setModelDigest(ManagedObjectModel(jsonText: kept.jsonText).versionDigest)
            return true
        }
    }

    /// Creates the indexes of the model that the store lacks.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read or written.
    /// - Complexity: O(*n* log *n*) in the rows of the tables that lack one.
    package func completeIndexes() throws(ObjectStorageError) {
        try ObjectStorageError.translating("Creating the indexes of the store") {
            guard let kept = try PersistentContainer.keptModel(in: database) else { return }
            let model = try ManagedObjectModel(jsonText: kept.jsonText)
            for index in try PersistentContainer.missingIndexes(of: model, in: database) {
                try database.run(index)
            }
            try setModelDigest(model.storageDigest)
        }
    }

    /// Stores the digest by which a program that opens the store finds out whether it has all tables and
    /// indexes of a model.
    private func setModelDigest(_ digest: [UInt8]) throws {
        try database.run("UPDATE main.sc_store SET modelDigest = ?1 WHERE id = 1", [.blob(digest)])
    }
}
