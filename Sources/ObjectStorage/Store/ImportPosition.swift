import GRDB

/// The position of an unfinished import without a key, at which it can continue.
package struct ImportPosition: Hashable, Sendable {
    /// The number of unfinished imports that a store keeps. Earlier ones are forgotten.
    package static let capacity = 100

    /// The entity of the rows.
    package var entityName: String
    /// The full path of the file.
    package var source: String
    /// The state of the file, by which a change is detected.
    package var sourceState: String
    /// The options and columns by which the file is read.
    package var reading: String
    /// The number of records, good and bad, that are done.
    package var records: Int64
    /// The counts of the records that are done, in the order of ``ImportRecord/counts``.
    package var counts: [Int64]

    /// Describes a position.
    package init(
        entityName: String, source: String, sourceState: String, reading: String, records: Int64 = 0,
        counts: [Int64] = [0, 0, 0, 0, 0]
    ) {
        self.entityName = entityName
        self.source = source
        self.sourceState = sourceState
        self.reading = reading
        self.records = records
        self.counts = counts
    }

    fileprivate static let countColumns = "inserted, updated, unchanged, skipped, related"
    fileprivate static let tableSQL = """
        CREATE TABLE IF NOT EXISTS main.sc_importing (
            id INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, source TEXT NOT NULL,
            state TEXT NOT NULL, reading TEXT NOT NULL, records INTEGER NOT NULL, inserted INTEGER NOT NULL,
            updated INTEGER NOT NULL, unchanged INTEGER NOT NULL, skipped INTEGER NOT NULL,
            related INTEGER NOT NULL, UNIQUE (entity, source))
        """
}

extension PersistentContainer {
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

extension BatchWriter {
    /// Sets the position of an import in the current transaction.
    ///
    /// - Parameters:
    ///   - position: The new position; nil if the import is complete.
    ///   - expected: The present position; nil for none. It is of the same entity and file.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/conflict`` if another process imports
    ///   the file.
    package func setImportPosition(
        _ position: ImportPosition?, insteadOf expected: ImportPosition?
    ) throws(ObjectStorageError) {
        guard let place = position ?? expected else { return }
        try ObjectStorageError.translating("Writing the position of the import") {
            guard try ImportPosition(in: database, place.entityName, place.source) == expected else {
                throw ObjectStorageError(
                    .conflict,
                    "Another process is importing “\(place.source)” into “\(place.entityName)” of \(container.nameInMessages). Wait until it ends, and run the command again."
                )
            }
            guard let position else {
                return try database.run(
                    "DELETE FROM main.sc_importing WHERE entity = ?1 AND source = ?2",
                    [.text(place.entityName), .text(place.source)])
            }
            try database.run(ImportPosition.tableSQL)
            let values: [StoredValue] = [
                .text(position.entityName), .text(position.source), .text(position.sourceState),
                .text(position.reading), .integer(position.records),
            ]
            try database.run(
                "INSERT OR REPLACE INTO main.sc_importing (entity, source, state, reading, records, \(ImportPosition.countColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                values + position.counts.map(StoredValue.integer))
            try database.run(
                """
                DELETE FROM main.sc_importing WHERE id NOT IN
                    (SELECT id FROM main.sc_importing ORDER BY id DESC LIMIT \(ImportPosition.capacity))
                """)
        }
    }
}

extension ImportPosition {
    /// Reads a position; nil if the store has none.
    fileprivate init?(in source: any StatementSource, _ entityName: String, _ file: String) throws {
        let table = "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'sc_importing'"
        guard try !source.rows(table).isEmpty,
            let row = try source.rows(
                "SELECT state, reading, records, \(Self.countColumns) FROM main.sc_importing WHERE entity = ?1 AND source = ?2",
                [.text(entityName), .text(file)]
            ).first,
            case .text(let state) = row[0], case .text(let reading) = row[1],
            case .integer(let records) = row[2]
        else { return nil }
        self.init(
            entityName: entityName, source: file, sourceState: state, reading: reading, records: records,
            counts: row[3...].map { if case .integer(let count) = $0 { count } else { 0 } })
    }
}
