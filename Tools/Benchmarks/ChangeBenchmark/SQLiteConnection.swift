import GRDBSQLite

/// A connection with SQLite's own calls and the settings of the library's connections. It closes on deinit.
final class SQLiteConnection {
    private let handle: OpaquePointer

    init(path: String) throws {
        var opened: OpaquePointer?
        let status = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE, nil)
        guard status == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw SampleError("“\(path)” cannot be opened: \(String(cString: sqlite3_errstr(status)))")
        }
        handle = opened
        // The file stores the journal mode. The page cache has its default size in both.
        try run(
            "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA busy_timeout = 5000"
        )
        guard try texts("PRAGMA journal_mode") == ["wal"] else {
            throw SampleError("“\(path)” is not in WAL mode")
        }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that return no rows.
    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    /// Returns the first column of a query's rows.
    func texts(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text) }
        return texts
    }

    func prepare(_ sql: String) throws -> Statement { try Statement(sql, on: self) }

    var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

    private func failure(_ sql: String) -> SampleError {
        SampleError("\(String(cString: sqlite3_errmsg(handle))) in: \(sql)")
    }

    /// A prepared statement that can run several times.
    final class Statement {
        /// Keeps the connection open.
        private let connection: SQLiteConnection
        private let handle: OpaquePointer
        private let sql: String

        fileprivate init(_ sql: String, on connection: SQLiteConnection) throws {
            var prepared: OpaquePointer?
            guard sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil) == SQLITE_OK,
                let prepared
            else { throw connection.failure(sql) }
            self.connection = connection
            self.sql = sql
            handle = prepared
        }

        deinit { sqlite3_finalize(handle) }

        func bind(_ number: Int64, at parameter: Int32) { sqlite3_bind_int64(handle, parameter, number) }

        func bind(_ text: String, at parameter: Int32) {
            // SQLITE_TRANSIENT: SQLite copies the bytes.
            let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            sqlite3_bind_text(handle, parameter, text, Int32(text.utf8.count), copying)
        }

        /// Runs a statement that returns no rows, and resets it.
        func run() throws {
            guard sqlite3_step(handle) == SQLITE_DONE else { throw connection.failure(sql) }
            sqlite3_reset(handle)
        }

        /// Steps to the next row of a query; returns false after the last one.
        fileprivate func step() throws -> Bool {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: return true
            case SQLITE_DONE: return false
            default: throw connection.failure(sql)
            }
        }

        fileprivate var text: String {
            sqlite3_column_text(handle, 0).map { String(cString: $0) } ?? ""
        }
    }
}
