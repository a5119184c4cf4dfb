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
    /// The options and columns with which the file is read.
    package var reading: String
    /// The number of records, good and bad, that are done.
    package var records: Int64
    /// The counts of the records that are done.
    package var counts: ImportCounts

    /// Describes a position.
    package init(
        entityName: String, source: String, sourceState: String, reading: String, records: Int64 = 0,
        counts: ImportCounts = ImportCounts()
    ) {
        self.entityName = entityName
        self.source = source
        self.sourceState = sourceState
        self.reading = reading
        self.records = records
        self.counts = counts
    }

    fileprivate static let tableSQL = """
        CREATE TABLE IF NOT EXISTS main.sc_importing (
            id INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, source TEXT NOT NULL,
            state TEXT NOT NULL, reading TEXT NOT NULL, records INTEGER NOT NULL,
            \(ImportCounts.columnsSQL), UNIQUE (entity, source))
        """
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
                "INSERT OR REPLACE INTO main.sc_importing (entity, source, state, reading, records, \(ImportCounts.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                values + position.counts.values)
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
    init?(in source: any StatementSource, _ entityName: String, _ file: String) throws {
        guard try source.hasTable(named: "sc_importing"),
            let row = try source.rows(
                "SELECT state, reading, records, \(ImportCounts.columns) FROM main.sc_importing WHERE entity = ?1 AND source = ?2",
                [.text(entityName), .text(file)]
            ).first,
            case .text(let state) = row[0], case .text(let reading) = row[1],
            case .integer(let records) = row[2], let counts = ImportCounts(row[3...])
        else { return nil }
        self.init(
            entityName: entityName, source: file, sourceState: state, reading: reading, records: records,
            counts: counts)
    }
}
