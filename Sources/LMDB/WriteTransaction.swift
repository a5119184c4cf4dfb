import CLMDB
import Mutants
import Synchronization

/// The only write transaction of an environment, lent to a closure. It is committed when the closure
/// returns and aborted when it throws.
///
/// It must begin and end on the same thread, because its lock belongs to the thread.
package struct WriteTransaction: ~Copyable {
    let handle: OpaquePointer
    // Unretained, so that `discard self` is possible. `Environment.write(_:)` keeps the environment alive.
    private let environment: Unmanaged<Environment>

    fileprivate init(_ handle: OpaquePointer, of environment: Environment) {
        self.handle = handle
        self.environment = .passUnretained(environment)
    }

    deinit { mdb_txn_abort(handle) }

    /// The number that the commit will have. It increases with every commit of any process.
    package var identifier: Int { mdb_txn_id(handle) }

    /// Returns a named database, creating it if it does not exist.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/databasesFull`` if the file already has
    ///   ``Environment/Options/maximumDatabases`` databases.
    package mutating func database(creating name: String) throws(LMDBError) -> NamedDatabase {
        let environment = environment.takeUnretainedValue()
        if let database = environment.openedDatabase(name)
            ?? environment.uncommittedDatabases.withLock({ $0[name] })
        {
            return database
        }
        var database: MDB_dbi = 0
        var status = mdb_dbi_open(handle, name, 0, &database)
        if status == MDB_NOTFOUND {
            guard try numberOfNames() < environment.options.maximumDatabases else {
                throw LMDBError(.databasesFull, .openDatabase)
            }
            status = mdb_dbi_open(handle, name, UInt32(MDB_CREATE), &database)
        }
        try LMDBError.check(status, .openDatabase)
        environment.uncommittedDatabases.withLock { $0[name] = NamedDatabase(handle: database, of: handle) }
        if Mutant.staleHandle.isPlanted {
            environment.remember(.init(handle: database, of: handle), name: name)
        }
        return NamedDatabase(handle: database, of: handle)
    }

    private func numberOfNames() throws(LMDBError) -> Int {
        var main: MDB_dbi = 0
        try LMDBError.check(mdb_dbi_open(handle, nil, 0, &main), .openDatabase)
        return try statistics(of: NamedDatabase(handle: main, of: handle)).entries
    }

    /// Stores a value.
    package func put(_ value: [UInt8], for key: [UInt8], in database: NamedDatabase) throws(LMDBError) {
        let status = withMDBValue(key) { key in
            withMDBValue(value) { value in
                var key = key
                var value = value
                return mdb_put(handle, database.handle(in: handle), &key, &value, 0)
            }
        }
        try LMDBError.check(status, .put)
    }

    /// Removes a key, or does nothing if it does not exist.
    package func removeValue(for key: [UInt8], in database: NamedDatabase) throws(LMDBError) {
        let status = withMDBValue(key) { key in
            var key = key
            return mdb_del(handle, database.handle(in: handle), &key, nil)
        }
        if status != MDB_NOTFOUND { try LMDBError.check(status, .delete) }
    }

    /// Empties a database but keeps its handle, because another thread may be reading through it.
    ///
    /// - Complexity: O(*p*) in the database's pages.
    ///
    /// The corresponding C function is `mdb_drop` with `del` 0. Source: `lmdb.h`, `mdb_dbi_close`.
    package func removeAll(in database: NamedDatabase) throws(LMDBError) {
        try LMDBError.check(mdb_drop(handle, database.handle(in: handle), 0), .drop)
    }

    /// Calls a closure with each key and value in the order of the keys, until it returns false.
    package func forEach(
        in database: NamedDatabase, from start: [UInt8]? = nil,
        _ body: (_ key: [UInt8], _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        try ReadTransaction.forEach(in: database, from: start, transaction: handle, body)
    }

    /// Lends the value of a key to a closure, or returns nil if the key does not exist.
    package func withValue<Result>(
        of key: [UInt8], in database: NamedDatabase, _ body: (RawSpan) -> Result
    ) throws(LMDBError) -> Result? {
        try ReadTransaction.withValue(of: key, in: database, transaction: handle, body)
    }

    /// Returns the numbers of pages and entries of a named database.
    package func statistics(of database: NamedDatabase) throws(LMDBError) -> DatabaseStatistics {
        try DatabaseStatistics(of: database, transaction: handle)
    }

    fileprivate consuming func commit() throws(LMDBError) {
        let status = mdb_txn_commit(handle)  // frees the handle even when it fails
        discard self
        try LMDBError.check(status, .commit)
    }
}

extension Environment {
    /// Runs a closure with the environment's write transaction, after waiting for the write transaction of
    /// another process to end.
    ///
    /// - Parameter byteCount: The approximate number of bytes to write, if it is more than some pages.
    /// - Throws: ``LMDBError``, with ``LMDBError/Code/corrupted`` before anything is written if the
    ///   structure of the file is damaged.
    package func write<Result>(
        expecting byteCount: Int = 0,
        _ body: (inout WriteTransaction) throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        try requireRoom(for: byteCount)
        try checkFitnessForWriting()
        // The wait precedes the lock of handles, so that readers do not wait with this thread.
        var begun: OpaquePointer?
        try LMDBError.check(mdb_txn_begin(handle, nil, 0, &begun), .begin)
        // An address, because the compiler does not allow passing a pointer into the lock that this function
        // might continue to use.
        let address = UInt(bitPattern: begun)
        return try opening.withLock { _ throws(LMDBError) -> Result in
            defer { uncommittedDatabases.withLock { $0 = [:] } }
            guard let begun = OpaquePointer(bitPattern: address) else { throw LMDBError(.invalid, .begin) }
            var transaction = WriteTransaction(begun, of: self)
            let result = try body(&transaction)
            try transaction.commit()
            // Handles may be used by other transactions only after the commit.
            for (name, database) in uncommittedDatabases.withLock({ $0 }) { remember(database, name: name) }
            return result
        }
    }
}
