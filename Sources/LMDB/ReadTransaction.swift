import CLMDB
import Foundation
import Synchronization

/// A snapshot of an environment, lent to a closure. It prevents the reuse of its pages, so it must be
/// short-lived.
package struct ReadTransaction: ~Copyable {
    let handle: OpaquePointer
    private let environment: Environment

    init(_ environment: Environment) throws(LMDBError) {
        if let idle = try environment.takeIdleReader() {
            handle = idle
            self.environment = environment
            return
        }
        handle = try environment.beginReading()
        self.environment = environment
    }

    deinit { environment.keepIdleReader(handle) }

    /// The number of the commit that this snapshot shows.
    package var identifier: Int { mdb_txn_id(handle) }

    /// Lends the value of a key to a closure, directly from the map, or returns nil if the key does not
    /// exist.
    package func withValue<Result>(
        of key: [UInt8], in database: NamedDatabase, _ body: (RawSpan) -> Result
    ) throws(LMDBError) -> Result? {
        try Self.withValue(of: key, in: database, transaction: handle, body)
    }

    static func withValue<Result>(
        of key: [UInt8], in database: NamedDatabase, transaction: OpaquePointer, _ body: (RawSpan) -> Result
    ) throws(LMDBError) -> Result? {
        var value = MDB_val()
        let status = withMDBValue(key) { key in
            var key = key
            return mdb_get(transaction, database.handle(in: transaction), &key, &value)
        }
        if status == MDB_NOTFOUND { return nil }
        try LMDBError.check(status, .get)
        let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        return body(RawSpan(_unsafeBytes: bytes))
    }

    /// Calls a closure with each key and value in the order of the keys, until it returns false.
    package func forEach(
        in database: NamedDatabase, from start: [UInt8]? = nil,
        _ body: (_ key: [UInt8], _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        try Self.forEach(in: database, from: start, transaction: handle, body)
    }

    static func forEach(
        in database: NamedDatabase, from start: [UInt8]?, transaction: OpaquePointer,
        _ body: (_ key: [UInt8], _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        var opened: OpaquePointer?
        try LMDBError.check(mdb_cursor_open(transaction, database.handle(in: transaction), &opened), .cursor)
        guard let cursor = opened else { throw LMDBError(.invalid, .cursor) }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        var status: Int32
        if let start {
            status = withMDBValue(start) { bound in
                key = bound
                return mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
            }
        } else {
            status = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        }
        while status == MDB_SUCCESS {
            let keyBytes = Array(UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size))
            let valueBytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            guard body(keyBytes, RawSpan(_unsafeBytes: valueBytes)) else { return }
            status = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if status != MDB_NOTFOUND { try LMDBError.check(status, .cursor) }
    }

    /// Returns the numbers of pages and entries of a named database.
    package func statistics(of database: NamedDatabase) throws(LMDBError) -> DatabaseStatistics {
        try DatabaseStatistics(of: database, transaction: handle)
    }
}
