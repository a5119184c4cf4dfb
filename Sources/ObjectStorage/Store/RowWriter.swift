import GRDBSQLite

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

    /// Whose rows they are.
    let runtime: EntityRuntime
    /// How many rows the statement inserts.
    let numberOfRows: Int
    private let statement: SQLiteStatement
    private let memory: BindingMemory
    private var count = 0

    /// - Parameter numberOfRows: One, or ``severalRows``.
    init(_ runtime: EntityRuntime, numberOfRows: Int = 1, in source: any StatementSource) throws {
        self.runtime = runtime
        self.numberOfRows = numberOfRows
        statement = try SQLiteStatement(
            numberOfRows == 1 ? runtime.statements.insertion : runtime.statements.severalInsertion, in: source
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
        let values = runtime.isOfExistingTable ? runtime.description.columnValues(values) : values
        let first = count * (runtime.numberOfSlots + 1) + 1
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
