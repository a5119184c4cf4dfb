import GRDBSQLite

/// Binds rows to a statement that inserts one or several of them, and runs it.
///
/// Several rows in one statement share what SQLite does for each statement: it opens the table, takes a
/// savepoint and counts keys. Texts and blobs are copied into memory that is used again; SQLite would
/// otherwise allocate some for each of them.
///
/// SAFETY: what is bound is not copied by SQLite, so it must stay where it is until the statement is reset.
/// The memory is not used again before that, and the bindings are cleared before it is given back.
final class RowWriter {
    /// How many rows a statement takes that inserts several.
    static let severalRows = 16

    /// Whose rows they are.
    let runtime: EntityRuntime
    /// How many rows the statement inserts.
    let numberOfRows: Int
    private let statement: SQLiteStatement
    /// Memory for what is bound. Only the first piece is kept from statement to statement.
    private var pieces: [UnsafeMutableRawBufferPointer]
    private var used = 0
    private var count = 0

    /// - Parameter numberOfRows: One, or ``severalRows``.
    init(_ runtime: EntityRuntime, numberOfRows: Int = 1, in source: any StatementSource) throws {
        self.runtime = runtime
        self.numberOfRows = numberOfRows
        statement = try SQLiteStatement(
            numberOfRows == 1 ? runtime.statements.insertion : runtime.statements.severalInsertion, in: source
        )
        pieces = [.allocate(byteCount: numberOfRows * 512, alignment: 16)]
    }

    deinit {
        statement.clearBindings()
        for piece in pieces { piece.deallocate() }
    }

    /// Adds a row, and inserts those that were added when there are enough.
    ///
    /// - Parameter key: Nil for one that SQLite chooses.
    /// - Throws: `DatabaseError`. Then none of the rows that the statement would have inserted is there.
    func add(key: Int64?, _ values: [StoredValue]) throws {
        let values = runtime.isOfExistingTable ? runtime.description.columnValues(values) : values
        let first = count * (runtime.numberOfSlots + 1) + 1
        if let key { try statement.bind(key, at: first) } else { try statement.bind(.null, at: first) }
        for slot in values.indices { try bind(values[slot], at: first + 1 + slot) }
        count += 1
        guard count == numberOfRows else { return }
        defer { reset() }
        try statement.run()
    }

    private func reset() {
        count = 0
        used = 0
        while pieces.count > 1 { pieces.removeLast().deallocate() }
    }

    private func bind(_ value: StoredValue, at position: Int) throws {
        switch value {
        case .null: try statement.bind(.null, at: position)
        case .integer(let number): try statement.bind(number, at: position)
        case .real(let number): try statement.bind(number, at: position)
        case .text(var text):
            let copy = text.withUTF8 { copied(UnsafeRawBufferPointer($0)) }
            try statement.bindText(copy, at: position)
        case .blob(let blob): try statement.bindBlob(blob.withUnsafeBytes(copied), at: position)
        }
    }

    /// A copy of bytes that stays where it is until the statement has run.
    private func copied(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // Also no bytes have an address; SQLite would take none for NULL.
        if used + source.count >= pieces[pieces.count - 1].count {
            pieces.append(.allocate(byteCount: max(65_536, source.count + 1), alignment: 16))
            used = 0
        }
        let start = used
        let piece = pieces[pieces.count - 1]
        used += source.count
        if !source.isEmpty {
            piece.baseAddress?.advanced(by: start).copyMemory(
                from: source.baseAddress!, byteCount: source.count)
        }
        return UnsafeRawBufferPointer(rebasing: piece[start..<used])
    }
}
