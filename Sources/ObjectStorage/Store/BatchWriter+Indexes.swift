import GRDB

extension BatchWriter {
    /// Drops the indexes of an entity's table that do not ensure that values are unique, if the table has no
    /// rows. ``completeIndexes()`` creates them again.
    ///
    /// Each row would otherwise be inserted at a random position of each index. With two relationships, an
    /// import of a million rows takes 5 seconds instead of 17.
    ///
    /// If the program ends before the indexes are complete, the store has the digest of no model: the next
    /// program that opens it with the model creates them, and so does the next import.
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
            guard try database.rows("SELECT 1 FROM \(table.root.tableSQL) LIMIT 1").isEmpty else {
                return false
            }
            for index in indexes {
                try database.run("DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
            }
            try setModelDigest(Self.digestWithoutIndexes)
            return true
        }
    }

    /// Creates the indexes of the model that the store lacks.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read or written.
    /// - Complexity: O(*n* log *n*) in the rows of the tables that lack one; O(1) in the rows of a store that
    ///   lacks none.
    package func completeIndexes() throws(ObjectStorageError) {
        try ObjectStorageError.translating("Creating the indexes of the store") {
            guard let kept = try PersistentContainer.keptModel(in: database) else { return }
            let model = try ManagedObjectModel(jsonText: kept.jsonText)
            guard kept.digest != model.storageDigest else { return }
            for index in try PersistentContainer.missingIndexes(of: model, in: database) {
                try database.run(index)
            }
            try setModelDigest(model.storageDigest)
        }
    }

    /// The digest of a store that lacks indexes, which no model has. The digest of the model without its
    /// declared indexes is not suitable: it equals the model's own if the model declares none, but
    /// relationships have indexes as well.
    private static let digestWithoutIndexes: [UInt8] = []

    /// Stores the digest by which a program that opens the store finds out whether it has all tables and
    /// indexes of a model.
    private func setModelDigest(_ digest: [UInt8]) throws {
        try database.run("UPDATE main.sc_store SET modelDigest = ?1 WHERE id = 1", [.blob(digest)])
    }
}
