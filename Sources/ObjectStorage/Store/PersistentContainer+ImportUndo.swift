/// The undoing of imports.
extension PersistentContainer {
    /// Undoes an import in one transaction: deletes the rows that it inserted and the related objects that
    /// nothing else uses, and gives updated rows their earlier values.
    ///
    /// - Parameters:
    ///   - number: The number of the import.
    ///   - changedRows: The treatment of rows that were changed after the import.
    ///   - isDryRun: Whether everything is rolled back.
    /// - Returns: The counts. ``ImportUndoResult/isUndone`` is false if the transaction was rolled back,
    ///   because of `isDryRun`, or because rows were changed and `changedRows` refuses them.
    /// - Throws: ``ObjectStorageError`` if the store has no such import, or not the data to undo it; if an
    ///   object requires a row that the import inserted; and if a write fails.
    /// - Complexity: O(*n* log *m*) for *n* rows of the import and *m* of the store.
    package func undoImport(
        _ number: Int64, changedRows: ImportUndoResult.ChangedRows, isDryRun: Bool = false
    ) throws -> ImportUndoResult {
        struct RolledBack: Error { let result: ImportUndoResult }
        do {
            return try write { writer in
                let result = try writer.undoImport(number, changedRows)
                guard result.isUndone, !isDryRun else {
                    if result.isUndone { try writer.checkRules() }
                    var rolledBack = result
                    rolledBack.isUndone = false
                    throw RolledBack(result: rolledBack)
                }
                return result
            }
        } catch let error as RolledBack {
            return error.result
        }
    }
}
