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
    /// The number of changes of the file, each counted once or twice.
    private(set) var changeCount = 0

    /// Discards the pages if the file changed since they were read. Called at the beginning of a read
    /// transaction.
    ///
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(1) if the file did not change, otherwise O(*n*) in the number of kept pages.
    mutating func discardIfFileChanged(in database: some StatementSource) throws {
        guard DatabaseFile(of: database.connection)?.declaresJournal == true else { return }
        // SQLite locks the file when it reads the first page.
        _ = try database.schemaVersionValue()
        guard let path = sqlite3_db_filename(database.connection, "main") else { return }
        let present = FileRecord(String(cString: path))
        guard present != record || wasRecent else { return }
        let isRecent = present.doubt != nil
        // A file that was written again within one tick of the clock differs once the tick is over. The first
        // call discards the pages that were read while the connection was prepared.
        if record != nil, present != record || !isRecent { changeCount += 1 }
        (record, wasRecent) = (present, isRecent)
        sqlite3_db_release_memory(database.connection)
    }
}
