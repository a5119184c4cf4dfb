import GRDBSQLite

/// The statements that insert rows of one entity, and the number of their values.
struct RowInsertion {
    /// The statement that inserts one row.
    let sql: String
    /// The statement that inserts ``RowWriter/severalRows`` rows.
    let severalSQL: String
    /// The number of values after the key.
    let numberOfSlots: Int
    /// The entity, if its rows are in an existing table whose columns have other forms than the values.
    let mappedEntity: EntityDescription?
}

/// Binds rows to a statement that inserts one or several of them, and runs it.
///
/// Several rows in one statement share what SQLite does for each statement: it opens the table, takes a
/// savepoint and counts keys. Texts and blobs are copied into memory that is used again.
///
/// SAFETY: the memory is not used again before the statement has run, and the bindings are cleared before it is
/// given back.
final class RowWriter {
    /// How many rows a statement takes that inserts several.
    static let severalRows = 16

    private let insertion: RowInsertion
    /// How many rows the statement inserts.
    let numberOfRows: Int
    private let statement: SQLiteStatement
    private let memory: BindingMemory
    private var count = 0

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

    /// Adds a row, and inserts those that were added when there are enough.
    ///
    /// - Parameter key: Nil for one that SQLite chooses.
    /// - Throws: `DatabaseError`. Then none of the rows that the statement would have inserted is there.
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
