import CLMDB
import Foundation
import Synchronization

/// The size of a named database.
package struct DatabaseStatistics: Hashable, Sendable {
    /// The number of keys.
    package let entries: Int
    /// The number of pages of all kinds.
    package let pages: Int
    /// The size of a page, in bytes.
    package let pageSize: Int

    init(of database: NamedDatabase, transaction: OpaquePointer) throws(LMDBError) {
        var statistics = MDB_stat()
        try LMDBError.check(mdb_stat(transaction, database.handle(in: transaction), &statistics), .statistics)
        entries = statistics.ms_entries
        pages = statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
        pageSize = Int(statistics.ms_psize)
    }
}
