import CLMDB
import Mutants
import Synchronization

/// The one write transaction of an environment, lent to a closure. It is committed when the closure returns
/// and aborted when it throws.
///
/// It must begin and end on one thread: the lock it takes belongs to the thread.
package struct WriteTransaction: ~Copyable {
    let handle: OpaquePointer
    // Unretained, so that `discard self` is possible. `Environment.write(_:)` keeps the environment alive.
    private let environment: Unmanaged<Environment>

    fileprivate init(_ handle: OpaquePointer, of environment: Environment) {
        self.handle = handle
        self.environment = .passUnretained(environment)
    }

    deinit { mdb_txn_abort(handle) }

    /// The number that the commit will have. It rises with every commit of any process.
    package var identifier: Int { mdb_txn_id(handle) }

    /// The named database, made if there is none.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/databasesFull`` when the file has as many names as it
    ///   may get.
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
        environment.uncommittedDatabases.withLock { $0[name] = NamedDatabase(handle: database) }
        if Mutant.staleHandle.isPlanted { environment.remember(.init(handle: database), name: name) }
        return NamedDatabase(handle: database)
    }

    private func numberOfNames() throws(LMDBError) -> Int {
        var main: MDB_dbi = 0
        try LMDBError.check(mdb_dbi_open(handle, nil, 0, &main), .openDatabase)
        return try statistics(of: NamedDatabase(handle: main)).entries
    }

    /// Stores a value.
    package func put(_ value: [UInt8], for key: [UInt8], in database: NamedDatabase) throws(LMDBError) {
        let status = withMDBValue(key) { key in
            withMDBValue(value) { value in
                var key = key
                var value = value
                return mdb_put(handle, database.handle, &key, &value, 0)
            }
        }
        try LMDBError.check(status, .put)
    }

    /// Removes a key; nothing happens if there is none.
    package func removeValue(for key: [UInt8], in database: NamedDatabase) throws(LMDBError) {
        let status = withMDBValue(key) { key in
            var key = key
            return mdb_del(handle, database.handle, &key, nil)
        }
        if status != MDB_NOTFOUND { try LMDBError.check(status, .delete) }
    }

    /// Empties a database but keeps its handle, because another thread may be reading through it.
    ///
    /// - Complexity: O(*p*) in the database's pages.
    ///
    /// The corresponding C function is `mdb_drop` with `del` 0. Source: `lmdb.h`, `mdb_dbi_close`.
    package func removeAll(in database: NamedDatabase) throws(LMDBError) {
        try LMDBError.check(mdb_drop(handle, database.handle, 0), .drop)
    }

    /// Calls a closure with each key and value in the order of the keys, until it returns false.
    package func forEach(
        in database: NamedDatabase, from start: [UInt8]? = nil,
        _ body: (_ key: [UInt8], _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        try ReadTransaction.forEach(in: database, from: start, transaction: handle, body)
    }

    /// Lends the value of a key to a closure; nil if there is none.
    package func withValue<Result>(
        of key: [UInt8], in database: NamedDatabase, _ body: (RawSpan) -> Result
    ) throws(LMDBError) -> Result? {
        try ReadTransaction.withValue(of: key, in: database, transaction: handle, body)
    }

    /// The pages and entries of a named database.
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
    /// Runs a closure with the environment's write transaction. Waits for another process's to end.
    ///
    /// - Parameter byteCount: About what will be written, where that is more than some pages.
    /// - Throws: ``LMDBError``; damage, before anything is written, if the file is not fit to be written to.
    package func write<Result>(
        expecting byteCount: Int = 0,
        _ body: (inout WriteTransaction) throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        try requireRoom(for: byteCount)
        try checkFitnessForWriting()
        // Waited for before handles are locked, so that readers need not wait with this thread.
        var begun: OpaquePointer?
        try LMDBError.check(mdb_txn_begin(handle, nil, 0, &begun), .begin)
        // An address, because a pointer may not be handed into the lock by who might go on using it.
        let address = UInt(bitPattern: begun)
        return try opening.withLock { _ throws(LMDBError) -> Result in
            defer { uncommittedDatabases.withLock { $0 = [:] } }
            guard let begun = OpaquePointer(bitPattern: address) else { throw LMDBError(.invalid, .begin) }
            var transaction = WriteTransaction(begun, of: self)
            let result = try body(&transaction)
            try transaction.commit()
            // Only now do the handles outlive their transaction.
            for (name, database) in uncommittedDatabases.withLock({ $0 }) { remember(database, name: name) }
            return result
        }
    }
}
