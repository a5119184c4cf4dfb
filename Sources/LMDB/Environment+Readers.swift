import CLMDB
import Mutants

/// The functions that enter the reader table. They hold the process lock, because LMDB's own lock of the
/// table cannot be tried without waiting.
extension Environment {
    /// Clears the slots of readers that died, so that the pages of their snapshots can be reused.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/busy`` if another process stays in the table.
    package func removeDeadReaders() throws(LMDBError) {
        try requireRoom()
        try environmentGuard.withTable { () throws(LMDBError) in try Self.clearDeadReaders(handle) }
    }

    /// Begins a new read transaction, which takes a slot.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/busy`` if another process stays in the table, and with
    ///   ``LMDBError/Code/readersFull`` if all slots belong to live readers.
    func beginReading() throws(LMDBError) -> OpaquePointer {
        try requireRoom()
        return try Self.beginReading(handle, environmentGuard)
    }

    static func beginReading(
        _ handle: OpaquePointer, _ environmentGuard: ProcessLock
    ) throws(LMDBError) -> OpaquePointer {
        try environmentGuard.withTable { () throws(LMDBError) in
            var begun: OpaquePointer?
            var status = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun)
            if status == MDB_READERS_FULL, !Mutant.deadReadersKept.isPlanted {
                try clearDeadReaders(handle)
                status = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun)
            }
            try LMDBError.check(status, .begin)
            guard let begun else { throw LMDBError(.invalid, .begin) }
            return begun
        }
    }

    static func clearDeadReaders(_ handle: OpaquePointer) throws(LMDBError) {
        guard !Mutant.deadReadersKept.isPlanted else { return }
        var dead: Int32 = 0
        try LMDBError.check(mdb_reader_check(handle, &dead), .readerCheck)
    }
}
