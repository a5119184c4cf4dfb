import CLMDB

/// A named database of one environment. Use with a transaction of another environment traps.
///
/// A handle is a number that every environment assigns anew, so with another environment's transaction it
/// would silently name another database. Source: `lmdb.h`, `mdb_dbi_open`.
package struct NamedDatabase: Hashable, Sendable {
    private let handle: MDB_dbi
    /// The address of the environment. It is compared and never used as a pointer.
    private let environment: UInt

    /// - Parameter transaction: A transaction of the environment that assigned the handle.
    init(handle: MDB_dbi, of transaction: OpaquePointer) {
        self.handle = handle
        environment = UInt(bitPattern: mdb_txn_env(transaction))
    }

    /// Returns the handle for use with a transaction.
    ///
    /// - Precondition: The transaction belongs to the environment of the database.
    func handle(in transaction: OpaquePointer) -> MDB_dbi {
        precondition(
            UInt(bitPattern: mdb_txn_env(transaction)) == environment,
            "The named database with handle \(handle) belongs to another environment than the transaction. Look the database up in the environment of the transaction."
        )
        return handle
    }
}
