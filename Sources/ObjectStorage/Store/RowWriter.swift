import GRDBSQLite

/// Binds rows to one statement that inserts them, and runs it for each.
///
/// Texts and blobs are copied into one piece of memory that is used again for the next row; SQLite would otherwise
/// allocate memory for each of them.
///
/// SAFETY: what is bound is not copied by SQLite, so it must stay where it is until the statement is reset; the memory is
/// not touched before that, and the bindings are cleared before it is given back.
final class RowWriter {
    /// Whose rows they are.
    let runtime: EntityRuntime
    private let statement: SQLiteStatement
    private var bytes: UnsafeMutableRawBufferPointer

    init(_ runtime: EntityRuntime, in source: any StatementSource) throws {
        self.runtime = runtime
        statement = try SQLiteStatement(runtime.insertionSQL, in: source)
        bytes = .allocate(byteCount: 1_024, alignment: 16)
    }

    deinit {
        statement.clearBindings()
        bytes.deallocate()
    }

    /// Inserts a row.
    ///
    /// - Parameter key: Nil for one that SQLite chooses.
    /// - Throws: `DatabaseError`.
    func insert(key: Int64?, _ values: [StoredValue]) throws {
        let values = runtime.isOfExistingTable ? runtime.description.columnValues(values) : values
        reserve(values)
        if let key { try statement.bind(key, at: 1) } else { try statement.bind(.null, at: 1) }
        var free = UnsafeMutableRawBufferPointer(rebasing: bytes[...])
        for slot in values.indices { try bind(values[slot], at: slot + 2, &free) }
        try statement.run()
    }

    /// Sees to it that all texts and blobs of a row fit.
    private func reserve(_ values: [StoredValue]) {
        var needed = 0
        for value in values {
            switch value {
            case .text(let text): needed += text.utf8.count
            case .blob(let blob): needed += blob.count
            case .null, .integer, .real: break
            }
        }
        guard needed > bytes.count else { return }
        bytes.deallocate()
        bytes = .allocate(byteCount: needed * 2, alignment: 16)
    }

    private func bind(
        _ value: StoredValue, at position: Int, _ free: inout UnsafeMutableRawBufferPointer
    ) throws {
        switch value {
        case .null: try statement.bind(.null, at: position)
        case .integer(let number): try statement.bind(number, at: position)
        case .real(let number): try statement.bind(number, at: position)
        case .text(var text):
            let count = text.withUTF8 { source in
                free.copyMemory(from: UnsafeRawBufferPointer(source))
                return source.count
            }
            try statement.bindText(UnsafeRawBufferPointer(rebasing: free[..<count]), at: position)
            free = UnsafeMutableRawBufferPointer(rebasing: free[count...])
        case .blob(let blob):
            blob.withUnsafeBytes { free.copyMemory(from: $0) }
            try statement.bindBlob(UnsafeRawBufferPointer(rebasing: free[..<blob.count]), at: position)
            free = UnsafeMutableRawBufferPointer(rebasing: free[blob.count...])
        }
    }
}
