import GRDB

/// The state of the move of another program's store into a store of the library, which the new store contains
/// until the move is complete.
package struct MoveRecord: Hashable, Sendable {
    /// The path of the other program's store.
    package var sourcePath: String
    /// The state of the files of the other program's store, by which a change is detected.
    package var sourceState: String
    /// The number of tables that are complete.
    package var completedTables: Int
    /// The last key that was written in the table that follows the complete ones; nil before the first.
    package var key: Int64?
    /// The second key of the last pair, in a table of pairs.
    package var otherKey: Int64?

    /// Describes the state of a move.
    package init(
        sourcePath: String, sourceState: String, completedTables: Int = 0, key: Int64? = nil,
        otherKey: Int64? = nil
    ) {
        self.sourcePath = sourcePath
        self.sourceState = sourceState
        self.completedTables = completedTables
        self.key = key
        self.otherKey = otherKey
    }

    fileprivate static let tableSQL = """
        CREATE TABLE IF NOT EXISTS main.sc_move (
            id INTEGER PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL, state TEXT NOT NULL,
            tables INTEGER NOT NULL, key INTEGER, other INTEGER)
        """
}

extension PersistentContainer {
    /// Returns the state of the move that fills the store; nil for a store that is complete.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func moveRecord() throws(ObjectStorageError) -> MoveRecord? {
        try ObjectStorageError.translating("Reading \(nameInMessages)") {
            try connections.read { try MoveRecord(in: $0) }
        }
    }
}

extension BatchWriter {
    /// Sets the state of the move in the current transaction.
    ///
    /// - Parameters:
    ///   - record: The new state; nil for a complete store.
    ///   - expected: The present state; nil for none.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/conflict`` if another process changed
    ///   the state.
    package func setMoveRecord(
        _ record: MoveRecord?, insteadOf expected: MoveRecord?
    ) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Writing the state of the move") {
            guard try MoveRecord(in: database) == expected else {
                throw ObjectStorageError(
                    .conflict,
                    "Another process is moving a store to \(container.nameInMessages). Wait until it ends, and run the command again."
                )
            }
            guard let record else { return try database.run("DROP TABLE main.sc_move") }
            try database.run(MoveRecord.tableSQL)
            try database.run(
                "INSERT OR REPLACE INTO main.sc_move (id, source, state, tables, key, other) VALUES (1, ?1, ?2, ?3, ?4, ?5)",
                [
                    .text(record.sourcePath), .text(record.sourceState),
                    .integer(Int64(record.completedTables)),
                    record.key.map(StoredValue.integer) ?? .null,
                    record.otherKey.map(StoredValue.integer) ?? .null,
                ])
        }
    }
}

extension MoveRecord {
    /// Reads the record of a store; nil if it has none.
    fileprivate init?(in source: any StatementSource) throws {
        guard try source.hasTable(named: "sc_move"),
            let row = try source.rows("SELECT source, state, tables, key, other FROM main.sc_move").first,
            case .text(let path) = row[0], case .text(let state) = row[1], case .integer(let tables) = row[2]
        else { return nil }
        func key(_ value: StoredValue) -> Int64? { if case .integer(let key) = value { key } else { nil } }
        self.init(
            sourcePath: path, sourceState: state, completedTables: Int(clamping: tables), key: key(row[3]),
            otherKey: key(row[4]))
    }
}
