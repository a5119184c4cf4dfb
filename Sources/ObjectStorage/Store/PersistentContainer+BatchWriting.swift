import GRDB

extension PersistentContainer {
    /// Runs `body` in one transaction, which is committed when it returns and rolled back when it throws.
    ///
    /// - Parameter body: Writes the rows. The writer that it receives is valid until it returns.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, or an ``ObjectStorageError`` of the commit, for example for an object
    ///   that would lead to fewer or more objects than its relationship allows.
    public func write<Result>(_ body: (BatchWriter) throws -> Result) throws -> Result {
        var thrown: (any Error)?
        do {
            let (result, tables) = try commit("Writing to \(nameInMessages)") { database in
                do {
                    let writer = BatchWriter(database: database, container: self)
                    let result = try body(writer)
                    try writer.checkRules()
                    return result
                } catch {
                    thrown = error
                    throw error
                }
            }
            var changes = StoreChanges(changedEntityNames: namesOfEntitiesThatMayHaveChanged(in: tables))
            changes.tables = tables
            mailboxes.deliver(changes)
            return result
        } catch {
            throw thrown ?? error
        }
    }
}
