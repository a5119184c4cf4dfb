import CLMDB
import Foundation
import Synchronization

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

    /// Returns the size of the map in bytes, the last used page, and the maximum number of reader slots that
    /// were used at the same time.
    package func information() throws(LMDBError) -> (mapSize: Int, lastPage: Int, readers: Int) {
        var information = MDB_envinfo()
        try LMDBError.check(mdb_env_info(handle, &information), .statistics)
        return (information.me_mapsize, information.me_last_pgno, Int(information.me_numreaders))
    }
}
