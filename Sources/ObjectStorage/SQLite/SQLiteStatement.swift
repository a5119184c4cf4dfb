import GRDB
import GRDBSQLite
import Mutants

/// A connection to SQLite, GRDB's or our own, that compiles statements and keeps them.
protocol StatementSource {
    /// SQLite's connection.
    var connection: OpaquePointer? { get }
    /// The compiled statement of some SQL, kept for the next time.
    func compiledStatement(_ sql: String) throws -> OpaquePointer
}

extension Database: StatementSource {
    var connection: OpaquePointer? { sqliteConnection }

    func compiledStatement(_ sql: String) throws -> OpaquePointer {
        try cachedStatement(sql: sql).sqliteStatement
    }
}

/// A compiled statement stepped with SQLite's own calls.
///
/// GRDB keeps the transactions that write, and caches their statements; rows are read here, because a list of
/// a million keys is read in this loop and nothing may stand in it (raw 60 ns a row against 82 to 166 through
/// row objects).
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

    /// Runs `body`, then resets the statement, which ends its hold on the transaction's snapshot.
    func use<Result>(_ body: (SQLiteStatement) throws -> Result) rethrows -> Result {
        defer { sqlite3_reset(handle) }
        return try body(self)
    }

    /// Moves to the next row; false after the last.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case _ where Mutant.readErrorAsEnd.isPlanted: return false
        case let status: throw error(status)
        }
    }

    /// Begins to count the steps of SQLite's machine anew: a progress handler is called for each so many
    /// steps of all runs together.
    func forgetSteps() { _ = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1) }

    /// Runs the statement to its end and makes it ready to run again.
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
                    // An empty string has no address, and SQLite would take that for NULL.
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
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// Binds an integer to the parameter at a position counted from 1.
    func bind(_ value: Int64, at position: Int) throws {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: position), value))
    }

    /// Binds a number to the parameter at a position counted from 1.
    func bind(_ value: Double, at position: Int) throws {
        try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: position), value))
    }

    /// Binds a text that stays where it is until another is bound.
    func bindText(_ text: UnsafeRawBufferPointer, at position: Int) throws {
        try check(
            sqlite3_bind_text64(
                handle, Int32(truncatingIfNeeded: position),
                text.baseAddress?.assumingMemoryBound(to: CChar.self),
                sqlite3_uint64(text.count), nil, UInt8(SQLITE_UTF8)))
    }

    /// Binds bytes that stay where they are until others are bound.
    func bindBlob(_ blob: UnsafeRawBufferPointer, at position: Int) throws {
        try check(
            sqlite3_bind_blob64(
                handle, Int32(truncatingIfNeeded: position), blob.baseAddress, sqlite3_uint64(blob.count), nil
            ))
    }

    /// The key of the row that the connection inserted last, without GRDB's check that the queue is the right one.
    var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(connection) }

    /// Forgets what is bound, so that nothing leads to memory that is about to be given back.
    func clearBindings() { sqlite3_clear_bindings(handle) }

    private func check(_ status: Int32) throws {
        guard status == SQLITE_OK else { throw error(status) }
    }

    private func error(_ status: Int32) -> DatabaseError { DatabaseError(of: connection, sql: sql) }
}

extension SQLiteStatement {
    /// The value of a column of the current row.
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

    /// The integer in a column of the current row; 0 for NULL.
    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

    /// The number in a column of the current row; 0 for NULL.
    func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

    /// A column of the current row as SQLite has it, valid until the next step.
    ///
    /// SQLite calls such a value unprotected, because no mutex is held. Connections here are used by one
    /// thread at a time, which is what the mutex would see to; so its class and contents may be asked for, at
    /// a third of the cost.
    func columnValue(_ column: Int) -> OpaquePointer? { sqlite3_column_value(handle, Int32(column)) }

    /// The storage class of a column of the current row, as SQLite numbers them.
    func storageClass(_ column: Int) -> Int32 { sqlite3_column_type(handle, Int32(column)) }

    /// The bytes of a text, valid until the next step. A value of another class would be converted; ask for
    /// the class first.
    func textBytes(_ column: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(handle, Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    /// The bytes of a blob, valid until the next step.
    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, Int32(column))
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column))))
    }

    /// The bytes of a text or a blob; 0 for values of other classes.
    func byteCount(_ column: Int) -> Int {
        switch storageClass(column) {
        case SQLITE_TEXT, SQLITE_BLOB: Int(sqlite3_column_bytes(handle, Int32(column)))
        default: 0
        }
    }

    /// The number of parameters and columns are fixed by the SQL; this is the number of columns.
    var columnCount: Int { Int(sqlite3_column_count(handle)) }
}

extension DatabaseError {
    /// What SQLite reported last on a connection.
    init(of connection: OpaquePointer?, sql: String) {
        let code = ResultCode(rawValue: sqlite3_extended_errcode(connection))
        self.init(
            resultCode: code,
            message: StatementBudget.words(for: code, on: connection)
                ?? String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}

extension StatementSource {
    /// The path of the main database's file; nil for one in memory, and for a temporary one.
    var filePath: String? {
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Runs a statement that gives no rows.
    func run(_ sql: String, _ values: [StoredValue] = []) throws {
        let statement = try SQLiteStatement(sql, in: self)
        try statement.bind(values)
        try statement.run()
    }

    /// Runs statements without parameters, one after the other, and ignores their rows.
    func runScript(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
            throw DatabaseError(of: connection, sql: sql)
        }
    }

    /// Runs a query and gives the rows' values, for the few small tables of our own.
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

extension String {
    /// The text as an SQL literal: in single quotes, with those inside doubled. Names hold no NUL, which a
    /// literal cannot.
    var quotedLiteral: String { quoted(by: "'") }

    /// The name as an SQL identifier: in double quotes, with those inside doubled.
    var quotedIdentifier: String { quoted(by: "\"") }

    /// The text between two quotes, with those inside doubled.
    ///
    /// SQLite goes by bytes: a quote with a combining mark, which is another character to Swift, is a quote
    /// to it.
    func quoted(by quote: Unicode.Scalar) -> String {
        guard utf8.contains(UInt8(ascii: quote)) else { return "\(quote)\(self)\(quote)" }
        var result = String(quote)
        for scalar in unicodeScalars {
            if scalar == quote { result.unicodeScalars.append(quote) }
            result.unicodeScalars.append(scalar)
        }
        result.unicodeScalars.append(quote)
        return result
    }
}
