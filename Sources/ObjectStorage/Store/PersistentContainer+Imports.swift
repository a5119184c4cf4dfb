/// The imports that a store records.
extension PersistentContainer {
    /// Returns the imports that the store records, including unfinished ones, in the order of their numbers.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func importRecords() throws(ObjectStorageError) -> [ImportRecord] {
        try ObjectStorageError.translating("Reading the imports of \(nameInMessages)") {
            try connections.read { try ImportRecord.all(in: $0) }
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
