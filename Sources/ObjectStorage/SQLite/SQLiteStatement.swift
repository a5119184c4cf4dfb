import GRDB
import GRDBSQLite
import Mutants

/// An SQLite connection, GRDB's or the library's own, that caches compiled statements.
protocol StatementSource {
    /// The SQLite connection.
    var connection: OpaquePointer? { get }
    /// Returns the compiled statement of an SQL text, from the cache if possible.
    func compiledStatement(_ sql: String) throws -> OpaquePointer
}

extension Database: StatementSource {
    var connection: OpaquePointer? { sqliteConnection }

    func compiledStatement(_ sql: String) throws -> OpaquePointer {
        try cachedStatement(sql: sql).sqliteStatement
    }
}

/// A compiled statement that is stepped with SQLite's C functions.
///
/// GRDB manages write transactions and caches their statements; rows are read here, because lists of a
/// million keys are read in this loop, which must have no overhead (60 ns for a row, compared with 82 to 166
/// through row objects).
struct SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer?
    private let sql: String

    /// Takes the statement from the connection's cache, or compiles it.
    init(_ sql: String, in source: any StatementSource) throws {
        handle = try source.compiledStatement(sql)
        connection = source.connection
        self.sql = sql
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Runs `body`, then resets the statement, which releases the transaction's snapshot.
    func use<Result>(_ body: (SQLiteStatement) throws -> Result) rethrows -> Result {
        defer { sqlite3_reset(handle) }
        return try body(self)
    }

    /// Advances to the next row; returns false after the last one.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case _ where Mutant.readErrorAsEnd.isPlanted: return false
        default: throw error
        }
    }

    /// Resets the statement's count of virtual machine steps: SQLite calls a progress handler after a number
    /// of steps of all runs together.
    func forgetSteps() { _ = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1) }

    /// Runs the statement to its end and resets it.
    func run() throws {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Binds values to the parameters `?1`, `?2`, ….
    func bind(_ values: some Sequence<StoredValue>) throws {
        for (position, value) in values.enumerated() {
            try bind(value, at: position + 1)
        }
    }

    /// Binds a value to the parameter at a position counted from 1.
    func bind(_ value: StoredValue, at position: Int) throws {
        let position = Int32(position)
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let status: Int32
        switch value {
        case .null: status = sqlite3_bind_null(handle, position)
        case .integer(let value): status = sqlite3_bind_int64(handle, position, value)
        case .real(let value): status = sqlite3_bind_double(handle, position, value)
        case .text(var value):
            status = value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // An empty string has no address, and SQLite would treat a null pointer as NULL.
                    characters.baseAddress.map {
                        sqlite3_bind_text64(
                            handle, position, $0, sqlite3_uint64(characters.count), transient,
                            UInt8(SQLITE_UTF8))
                    } ?? sqlite3_bind_text(handle, position, "", 0, transient)
                }
            }
        case .blob(let value):
            status = value.withUnsafeBytes { bytes in
                bytes.baseAddress.map {
                    sqlite3_bind_blob64(handle, position, $0, sqlite3_uint64(bytes.count), transient)
                } ?? sqlite3_bind_zeroblob(handle, position, 0)
            }
        }
        guard status == SQLITE_OK else { throw error }
    }

    /// Binds an integer to the parameter at a position counted from 1.
    func bind(_ value: Int64, at position: Int) throws {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: position), value))
    }

    /// Binds a number to the parameter at a position counted from 1.
    func bind(_ value: Double, at position: Int) throws {
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: position), value))
    }

    /// Binds a text that does not move until another one is bound.
    func bindText(_ text: UnsafeRawBufferPointer, at position: Int) throws {
        try check(
            sqlite3_bind_text64(
                handle, Int32(truncatingIfNeeded: position),
                text.baseAddress?.assumingMemoryBound(to: CChar.self),
                sqlite3_uint64(text.count), nil, UInt8(SQLITE_UTF8)))
    }

    /// Binds a blob that does not move until another one is bound.
    func bindBlob(_ blob: UnsafeRawBufferPointer, at position: Int) throws {
        try check(
            sqlite3_bind_blob64(
                handle, Int32(truncatingIfNeeded: position), blob.baseAddress, sqlite3_uint64(blob.count), nil
            ))
    }

    /// The key of the row that the connection inserted last. Unlike GRDB's property it does not check the
    /// queue.
    var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(connection) }

    /// Clears all bindings, so that none refers to memory that is about to be freed.
    func clearBindings() { sqlite3_clear_bindings(handle) }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else { throw error }
    }

    /// The last error of the connection.
    private var error: DatabaseError { DatabaseError(of: connection, sql: sql) }
}

extension SQLiteStatement {
    /// Returns the value of a column of the current row.
    func value(_ column: Int) -> StoredValue {
        let position = Int32(column)
        switch sqlite3_column_type(handle, position) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, position))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, position))
        case SQLITE_TEXT: return .text(String(decoding: textBytes(column), as: UTF8.self))
        case SQLITE_BLOB: return .blob(Array(blobBytes(column)))
        default: return .null
        }
    }

    /// Returns the integer in a column of the current row; 0 for NULL.
    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    /// Returns the number in a column of the current row; 0 for NULL.
    func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    /// Returns a column of the current row as an SQLite value, valid until the next step.
    ///
    /// SQLite calls such a value unprotected, because no mutex is held. Here only one thread at a time uses a
    /// connection, which is all that the mutex would ensure, so the value's class and contents may be read,
    /// at a third of the cost.
    func columnValue(_ column: Int) -> OpaquePointer? { sqlite3_column_value(handle, Int32(column)) }

    /// Returns the storage class of a column of the current row, as one of SQLite's constants.
    func storageClass(_ column: Int) -> Int32 { sqlite3_column_type(handle, Int32(column)) }

    /// Returns the bytes of a text, valid until the next step. A value of another class would be converted,
    /// so the caller must check the class first.
    func textBytes(_ column: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    /// Returns the bytes of a blob, valid until the next step.
    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    /// Returns the number of bytes of a text or a blob; 0 for values of other classes.
    func byteCount(_ column: Int) -> Int {
        switch storageClass(column) {
        case SQLITE_TEXT, SQLITE_BLOB: Int(sqlite3_column_bytes(handle, Int32(column)))
        default: 0
        }
    }

    /// The number of columns, which is fixed by the SQL.
    var columnCount: Int { Int(sqlite3_column_count(handle)) }
}

extension DatabaseError {
    /// Creates an error from the last failure that SQLite reported on a connection.
    init(of connection: OpaquePointer?, sql: String) {
        let code = ResultCode(rawValue: sqlite3_extended_errcode(connection))
        self.init(
            resultCode: code,
            message: StatementBudget.words(for: code, on: connection)
                ?? String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}

extension StatementSource {
    /// The path of the main database's file; nil for a database in memory and for a temporary one.
    var filePath: String? {
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Runs a statement without result rows.
    func run(_ sql: String, _ values: [StoredValue] = []) throws {
        let statement = try SQLiteStatement(sql, in: self)
        try statement.bind(values)
        try statement.run()
    }

    /// Runs a sequence of statements without parameters, and ignores their rows.
    func runScript(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
            throw DatabaseError(of: connection, sql: sql)
        }
    }

    /// Returns whether the database has a table, whose name is compared by its bytes.
    func hasTable(named name: String) throws -> Bool {
        try !rows(
            "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1", [.text(name)]
        ).isEmpty
    }

    /// Runs a query and returns the values of its rows; intended for small control tables.
    func rows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
        let statement = try SQLiteStatement(sql, in: self)
        try statement.bind(values)
        return try statement.use { statement in
            var rows: [[StoredValue]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map(statement.value))
            }
            return rows
        }
    }
}
