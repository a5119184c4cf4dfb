import GRDBSQLite

/// The statements that insert rows of one entity, and the number of their values.
struct RowInsertion {
    /// The statement that inserts one row.
    let sql: String
    /// The statement that inserts ``RowWriter/severalRows`` rows.
    let severalSQL: String
    /// The number of values after the key.
    let numberOfSlots: Int
    /// The entity, if its rows are in an external table whose columns have other forms than the values.
    let mappedEntity: EntityDescription?
}

/// Binds rows to a statement that inserts one or several of them, and runs the statement.
///
/// Several rows in one statement share SQLite's work for each statement: it opens the table, takes a
/// savepoint and counts keys. Texts and blobs are copied into memory that is reused.
///
/// SAFETY: the memory is reused only after the statement has run, and the bindings are cleared before the
/// memory is freed.
final class RowWriter {
    /// The number of rows of a statement that inserts several.
    static let severalRows = 16

    private let insertion: RowInsertion
    /// The number of rows that the statement inserts.
    let numberOfRows: Int
    private let statement: SQLiteStatement
    private let memory: BindingMemory
    private var count = 0

    /// Prepares a statement.
    ///
    /// - Parameter numberOfRows: One, or ``severalRows``.
    init(_ insertion: RowInsertion, numberOfRows: Int = 1, in source: any StatementSource) throws {
        self.insertion = insertion
        self.numberOfRows = numberOfRows
        statement = try SQLiteStatement(
            numberOfRows == 1 ? insertion.sql : insertion.severalSQL, in: source
        )
        memory = BindingMemory(byteCount: numberOfRows * 512)
    }

    deinit {
        statement.clearBindings()
    }

    /// Adds a row, and inserts the added rows when the statement is full.
    ///
    /// - Parameter key: Nil for a key that SQLite chooses.
    /// - Throws: `DatabaseError`. In this case none of the statement's rows was inserted.
    func add(key: Int64?, _ values: [StoredValue]) throws {
        let values = insertion.mappedEntity?.columnValues(values) ?? values
        let first = count * (insertion.numberOfSlots + 1) + 1
        if let key { try statement.bind(key, at: first) } else { try statement.bind(.null, at: first) }
        for slot in values.indices {
            try memory.bind(values[slot], at: first + 1 + slot, of: statement)
        }
        count += 1
        guard count == numberOfRows else { return }
        defer { reset() }
        try statement.run()
    }

    private func reset() {
        count = 0
        memory.reset()
    }
}
