import Foundation
import GRDB
import GRDBSQLite

/// The pages that a connection keeps from its earlier transactions, for a store with a rollback journal that
/// another program replicates.
///
/// SQLite discards such pages if the change counter in the first page of the file differs. A replicator may
/// replace other pages under SQLite's lock and leave the first page unchanged: Litestream's follow mode does
/// so for each commit that did not write the first page, which is usual with a write-ahead log. The
/// connection would then combine pages of two states, without an error. The file's record reveals such a
/// write, because the lock excludes it during a transaction.
///
/// Only connections that are opened read-only are checked: a store that a replicator writes cannot be written
/// by others. With a write-ahead log, the lock of an open connection keeps the replicator waiting.
struct KeptPages: Sendable {
    private var record: FileRecord?
    private var wasRecent = false
    /// The number of times that the pages were discarded because the file had changed.
    private(set) var discardCount = 0

    /// Discards the pages if the file changed since they were read. Called at the beginning of a read
    /// transaction.
    ///
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(1) if the file did not change, otherwise O(*n*) in the number of kept pages.
    mutating func discardIfOld(in database: some StatementSource) throws {
        guard Self.hasRollbackJournal(database.connection) else { return }
        // SQLite locks the file when it reads the first page.
        _ = try database.schemaVersionValue()
        guard let path = sqlite3_db_filename(database.connection, "main") else { return }
        let present = FileRecord(String(cString: path))
        guard present != record || wasRecent else { return }
        // The first call discards the pages that were read while the connection was prepared.
        if record != nil { discardCount += 1 }
        (record, wasRecent) = (present, present.isRecent)
        sqlite3_db_release_memory(database.connection)
    }

    /// Returns whether the header of the file declares a rollback journal. The header is read through SQLite,
    /// because closing another descriptor of the file would drop SQLite's locks.
    private static func hasRollbackJournal(_ connection: OpaquePointer?) -> Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let read = file.pointee.pMethods?.pointee.xRead
        else { return false }
        // The read version of the file format: sqlite.org/fileformat2.html, section 1.3.
        var version: UInt8 = 0
        return read(file, &version, 1, 19) == SQLITE_OK && version == 1
    }
}
