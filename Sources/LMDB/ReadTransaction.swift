import CLMDB
import Foundation
import Synchronization

/// A snapshot of an environment, lent to a closure. It prevents the reuse of its pages, so it must be short.
package struct ReadTransaction: ~Copyable {
    let handle: OpaquePointer
    private let environment: Environment

    fileprivate init(_ environment: Environment) throws(LMDBError) {
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

    /// Lends the value of a key to a closure, directly from the map, or returns nil if the key does not exist.
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

extension Environment {
    /// Runs a closure with a snapshot.
    package func read<Result>(
        _ body: (borrowing ReadTransaction) throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        let transaction = try ReadTransaction(self)
        return try body(transaction)
    }

    /// Returns a named database, or nil if it does not exist.
    ///
    /// Call this before the transaction that reads the database begins: a transaction cannot use handles that
    /// were opened after its beginning.
    package func existingDatabase(named name: String) throws(LMDBError) -> NamedDatabase? {
        if let database = openedDatabase(name) { return database }
        // `lmdb.h`, `mdb_dbi_open`: two transactions of a process must not open handles at the same time. A
        // writer may be waiting for another process, and a reader must not wait for the writer.
        for _ in 0..<20 {
            let found = try opening.withLockIfAvailable { _ throws(LMDBError) in try openExisting(name) }
            if let found { return found }
            usleep(1_000)
        }
        throw LMDBError(.busy, .openDatabase)
    }

    private func openExisting(_ name: String) throws(LMDBError) -> NamedDatabase? {
        if let database = openedDatabase(name) { return database }
        let transaction = try beginReading()
        var opened: MDB_dbi = 0
        let status = mdb_dbi_open(transaction, name, 0, &opened)
        guard status == MDB_SUCCESS else {
            mdb_txn_abort(transaction)
            if status == MDB_NOTFOUND { return nil }
            throw LMDBError(LMDBError.Code(rawValue: status), .openDatabase)
        }
        let database = NamedDatabase(handle: opened, of: transaction)
        try LMDBError.check(mdb_txn_commit(transaction), .commit)
        remember(database, name: name)
        return database
    }

    /// Returns the names of all named databases, including empty ones.
    package func databaseNames() throws(LMDBError) -> [String] {
        try read { (transaction) throws(LMDBError) in
            var main: MDB_dbi = 0
            try LMDBError.check(mdb_dbi_open(transaction.handle, nil, 0, &main), .openDatabase)
            var names: [String] = []
            try transaction.forEach(in: NamedDatabase(handle: main, of: transaction.handle)) { key, _ in
                names.append(String(decoding: key, as: UTF8.self))
                return true
            }
            return names
        }
    }

    /// Returns the size of the map in bytes, the last used page, and the number of reader slots in use.
    package func information() throws(LMDBError) -> (mapSize: Int, lastPage: Int, readers: Int) {
        var information = MDB_envinfo()
        try LMDBError.check(mdb_env_info(handle, &information), .statistics)
        return (information.me_mapsize, information.me_last_pgno, Int(information.me_numreaders))
    }
}

/// Lends bytes to liblmdb as a key or value.
func withMDBValue<Result>(_ bytes: [UInt8], _ body: (MDB_val) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
        // liblmdb does not write through the key and value arguments.
        body(MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress)))
    }
}
