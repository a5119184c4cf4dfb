import BenchmarkSupport
import Foundation
import GRDBSQLite

/// The ways that use only SQLite's own calls, from Swift.
enum SQLiteSample {
    /// Reads sections with their counts by one query, and the first page by another.
    static func groups(store: String, _ sql: String, firstPage: String) throws {
        var watch = Stopwatch()
        let database = try SQLiteDatabase(path: store)
        watch.step("open the store")
        var answer = Answer()
        try database.forEachRow(of: sql) { row in
            answer.sections.append((row.text(0), Int(row.integer(1))))
        }
        watch.step("read the sections")
        try database.forEachRow(of: firstPage) { row in
            answer.firstTitles.append(row.text(0))
            answer.yearsRead += Int(row.integer(1))
        }
        watch.step("read 20 rows")
        answer.report(nanoseconds: watch.elapsed, watch: watch)
    }

    /// Reads all keys and sections by one query, and the first twenty rows by their keys.
    static func scan(store: String, _ sql: String) throws {
        var watch = Stopwatch()
        let database = try SQLiteDatabase(path: store)
        watch.step("open the store")
        var answer = Answer()
        var keys: [Int64] = []
        var previous: [UInt8] = []
        try database.forEachRow(of: sql) { row in
            keys.append(row.integer(0))
            let section = row.bytes(1)
            // Creates a string only at the beginning of a section, which is the fastest way in Swift.
            if answer.sections.isEmpty || !previous.elementsEqual(section) {
                previous = Array(section)
                answer.sections.append((String(decoding: section, as: UTF8.self), 0))
            }
            answer.sections[answer.sections.count - 1].count += 1
        }
        watch.step("read the sections")
        let first = keys.prefix(20).map(String.init).joined(separator: ",")
        var titles: [Int64: String] = [:]
        try database.forEachRow(of: "SELECT objectID, title, year FROM Song WHERE objectID IN (\(first))") {
            titles[$0.integer(0)] = $0.text(1)
            answer.yearsRead += Int($0.integer(2))
        }
        answer.firstTitles = keys.prefix(20).compactMap { titles[$0] }
        watch.step("read 20 rows")
        answer.report(nanoseconds: watch.elapsed, watch: watch)
    }
}

/// A connection, which closes on deinit.
struct SQLiteDatabase: ~Copyable {
    private let handle: OpaquePointer

    init(path: String, mayCreate: Bool = false) throws {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | (mayCreate ? SQLITE_OPEN_CREATE : 0)
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw SampleError("“\(path)” cannot be opened: \(String(cString: sqlite3_errstr(status)))")
        }
        handle = opened
    }

    deinit { sqlite3_close(handle) }

    /// Runs a query and calls a closure with each row.
    func forEachRow(of sql: String, _ body: (SQLiteRow) throws -> Void) throws {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared
        else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            default: throw failure(sql)
            }
        }
    }

    /// Runs statements that return no rows.
    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    private func failure(_ sql: String) -> SampleError {
        SampleError("\(String(cString: sqlite3_errmsg(handle))) in: \(sql)")
    }
}

/// The current row of a query.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// The bytes of a text, valid until the next row.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_text(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
