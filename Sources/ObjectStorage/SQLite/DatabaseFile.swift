import GRDB
import GRDBSQLite

/// The bytes of a database, read through SQLite: closing another descriptor of the file would drop the locks
/// that SQLite has on it in this process.
struct DatabaseFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    /// Uses the main file of an open connection; nil if it has none.
    init?(of connection: OpaquePointer?) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods
        else { return nil }
        (self.file, self.methods) = (file, methods.pointee)
    }

    /// Opens a file, and runs a closure that reads it. Nothing is locked, and no file is created.
    ///
    /// - Parameter uri: The URI of the file, without parameters.
    /// - Throws: ``ObjectStorageError`` if the file cannot be opened; the errors of the closure.
    static func reading<Result>(
        uri: String, path: String, _ body: (DatabaseFile) throws -> Result
    ) throws -> Result {
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        let status = sqlite3_open_v2(
            uri + "?mode=ro&immutable=1", &connection,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard status == SQLITE_OK, let file = DatabaseFile(of: connection) else {
            throw ObjectStorageError(
                DatabaseError(of: connection, sql: ""), while: "Opening the store “\(path)”")
        }
        return try body(file)
    }

    /// The size in bytes; nil if it cannot be read.
    var size: Int64? {
        var size: Int64 = 0
        return methods.xFileSize?(file, &size) == SQLITE_OK ? size : nil
    }

    /// Returns bytes of the file; nil if it has fewer, or they cannot be read.
    func bytes(_ count: Int, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = bytes.withUnsafeMutableBytes {
            methods.xRead?(file, $0.baseAddress, Int32(count), offset)
        }
        return status == SQLITE_OK ? bytes : nil
    }

    /// Whether the header declares a write-ahead log; false without a header.
    ///
    /// Source: the read version of the file format, sqlite.org/fileformat2.html, section 1.3.
    var declaresLog: Bool { bytes(1, at: 19) == [2] }

    /// Whether the header declares a rollback journal; false without a header.
    var declaresJournal: Bool { bytes(1, at: 19) == [1] }
}
