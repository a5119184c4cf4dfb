/// The rules by which the program that owns an untracked store keeps it consistent. A container with such
/// rules applies them to each transaction.
///
/// One object serves one container, whose connection calls it on one thread at a time.
package protocol TransactionRules: AnyObject, Sendable {
    /// Prepares a new connection, before it reads or writes: registers the functions that triggers of that
    /// program call.
    func prepare(_ connection: ExternalStoreConnection) throws(ObjectStorageError)
    /// Prepares a transaction before it begins. The connection is outside a transaction.
    func willBegin(in database: ExternalStoreConnection) throws(ObjectStorageError)
    /// Checks at the beginning of a transaction, which holds the lock for writing, that the store may be
    /// written.
    func begin(in database: ExternalStoreConnection) throws(ObjectStorageError)
    /// Returns the largest key that the program that owns the store has assigned in a table; 0 for none.
    func lastKey(inTableNamed name: String, in database: ExternalStoreConnection) throws(ObjectStorageError)
        -> Int64
    /// Completes the rows that the transaction wrote.
    ///
    /// - Returns: The objects of the rows that were updated, including those that no statement of the save
    ///   named.
    func complete(in database: ExternalStoreConnection) throws(ObjectStorageError) -> Set<ObjectID>
    /// Records that the commit begins. If it fails, its outcome may be unknown.
    func willCommit()
    /// Ends a transaction.
    func end(isCommitted: Bool)
}
