import GRDB

/// A database of another program, read with statements before a container opens it. No file of it is changed
/// or created.
package struct PreservedStore: Sendable {
    private let reader: ReadConnection
    private let path: String

    /// Opens a database and runs a closure. Both are repeated if another program writes to the store while it
    /// is read without locks.
    ///
    /// - Parameter options: The options with which a container will open it.
    /// - Throws: ``ObjectStorageError`` for a missing file, a directory, and a file that is not a database;
    ///   the errors of the closure.
    package static func reading<Result>(
        path: String, options: StoreOptions = StoreOptions(),
        _ body: (PreservedStore) throws(ObjectStorageError) -> Result
    ) throws(ObjectStorageError) -> Result {
        try PersistentContainer.checkFile(path, mayCreate: false)
        let options = options.isUntrusted ? UntrustedStore.options(options, path: path) : options
        return try ObjectStorageError.translating("Opening the store “\(path)”") {
            try PrivateCopy.preservingFiles(ofStoreAt: path, options: options) { openedPath, options in
                let reader = try ReadConnection(path: openedPath, options: options)
                try reader.checkIsDatabase()
                return try body(PreservedStore(reader: reader, path: path))
            }
        }
    }

    /// Returns the rows of a statement.
    ///
    /// - Throws: ``ObjectStorageError``.
    package func rows(
        _ sql: String, _ arguments: [StoredValue] = []
    ) throws(ObjectStorageError) -> [[StoredValue]] {
        try ObjectStorageError.translating("Reading the store “\(path)”") {
            try reader.read { try $0.rows(sql, arguments) }
        }
    }

    /// Checks that the tables of a model exist and match it, as far as needed for reading.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/existingTableMismatch``, which names
    ///   the entity and the property.
    /// - Complexity: O(*n*) in the number of tables and mapped columns.
    package func check(_ model: ManagedObjectModel) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Reading the store “\(path)”") {
            try reader.read { try ExistingTableCheck.check(model, isReading: true, in: $0) }
        }
    }
}
