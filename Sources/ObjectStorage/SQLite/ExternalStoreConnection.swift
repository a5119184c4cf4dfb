import GRDB
import GRDBSQLite

/// A connection to another program's store, with the operations that ``TransactionRules`` use.
package struct ExternalStoreConnection {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The SQLite connection.
    package var connection: OpaquePointer? { database.sqliteConnection }

    /// Returns the rows of a statement.
    package func rows(
        _ sql: String, _ arguments: [StoredValue] = []
    ) throws(ObjectStorageError) -> [[StoredValue]] {
        try ObjectStorageError.translating("Reading the store") { try database.rows(sql, arguments) }
    }

    /// Runs a statement.
    ///
    /// - Returns: The number of rows that the statement changed itself, without those that triggers changed.
    @discardableResult
    package func run(_ sql: String, _ arguments: [StoredValue] = []) throws(ObjectStorageError) -> Int {
        try ObjectStorageError.translating("Writing to the store") {
            try database.run(sql, arguments)
            return database.changesCount
        }
    }

    /// Runs several statements without parameters.
    package func runScript(_ sql: String) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Writing to the store") { try database.runScript(sql) }
    }

    /// Registers a function that passes its arguments to a closure and returns NULL.
    ///
    /// - Parameter isForSchema: Whether triggers in the file may call it, and not only temporary ones.
    ///
    /// Source: "SQLITE_INNOCUOUS", sqlite.org/c3ref/c_deterministic.html.
    package func registerFunction(
        named name: String, numberOfArguments: Int32, isForSchema: Bool = false,
        _ body: @escaping ([StoredValue]) -> Void
    ) {
        let closure = Unmanaged.passRetained(ExternalFunction(body)).toOpaque()
        sqlite3_create_function_v2(
            connection, name, numberOfArguments, SQLITE_UTF8 | (isForSchema ? SQLITE_INNOCUOUS : 0), closure,
            { context, count, arguments in
                if let arguments, let closure = sqlite3_user_data(context) {
                    let values = (0..<Int(count)).map { StoredValue(argument: arguments[$0]) }
                    Unmanaged<ExternalFunction>.fromOpaque(closure).takeUnretainedValue().body(values)
                }
                sqlite3_result_null(context)
            }, nil, nil, { $0.map { Unmanaged<ExternalFunction>.fromOpaque($0).release() } })
    }

    /// Copies all pages of the committed state of a database to a new file, and checks the copy with SQLite's
    /// integrity check. The database may be open on other connections, one of which writes.
    ///
    /// - Throws: ``ObjectStorageError`` if the copy cannot be written, or is damaged. A part of the copy may
    ///   remain.
    /// - Complexity: O(*n*) in the pages of the database.
    package static func copy(fileAt source: String, toFileAt path: String) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Copying the store to “\(path)”") {
            var configuration = Configuration()
            configuration.readonly = true
            let store = try DatabaseQueue(path: source, configuration: configuration)
            let copy = try DatabaseQueue(path: path)
            try store.backup(to: copy)
            try store.close()
            let findings = try copy.writeWithoutTransaction { try $0.rows("PRAGMA integrity_check(1)") }
            try copy.close()
            guard findings == [[.text("ok")]] else {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT, message: "the copy is damaged: \(findings.first ?? [])")
            }
        }
    }
}

/// A closure behind an SQL function.
private final class ExternalFunction {
    let body: ([StoredValue]) -> Void

    init(_ body: @escaping ([StoredValue]) -> Void) { self.body = body }
}

extension StoredValue {
    /// Copies the argument of an SQL function.
    fileprivate init(argument: OpaquePointer?) {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            // A text may contain null characters.
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_value_text(argument), count: Int(sqlite3_value_bytes(argument)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_value_blob(argument), count: Int(sqlite3_value_bytes(argument)))
            self = .blob(Array(bytes))
        default: self = .null
        }
    }
}
