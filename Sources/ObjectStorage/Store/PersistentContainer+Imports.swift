/// The imports that a store records.
extension PersistentContainer {
    /// Returns the imports that the store records, the first one first.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func importRecords() throws(ObjectStorageError) -> [ImportRecord] {
        try ObjectStorageError.translating("Reading the imports of \(nameInMessages)") {
            try connections.read { source in
                guard try source.hasTable(named: "sc_import") else { return [] }
                return try source.rows(
                    "SELECT number, time, file, digest, entity, options, \(ImportCounts.columns) FROM main.sc_import ORDER BY number"
                ).compactMap(ImportRecord.init(row:))
            }
        }
    }

    /// Returns the position of the unfinished import of a file into an entity, or nil.
    ///
    /// - Parameter source: The full path of the file.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func importPosition(
        ofEntityNamed entityName: String, source: String
    ) throws(ObjectStorageError) -> ImportPosition? {
        try ObjectStorageError.translating("Reading \(nameInMessages)") {
            try connections.read { try ImportPosition(in: $0, entityName, source) }
        }
    }
}
