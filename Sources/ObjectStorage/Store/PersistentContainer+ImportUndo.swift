/// The undoing of imports.
extension PersistentContainer {
    /// Undoes an import in one transaction: deletes the rows that it inserted and the related objects that
    /// nothing else uses, and gives updated rows their earlier values. A row that stays because it was
    /// changed keeps the rows that belong to it, such as the elements of its arrays.
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
        // Elements are undone before their records, of which some stay. If one is found that stays, the undo
        // begins again and leaves its elements as they are.
        var kept = KeptRows()
        while true {
            let result = try undoImport(number, changedRows, besides: kept, isDryRun: isDryRun)
            guard changedRows == .keep, result.keptRows != kept else { return result }
            kept = result.keptRows
        }
    }

    /// Undoes an import in one transaction, which is rolled back if it finds further rows that stay.
    private func undoImport(
        _ number: Int64, _ changedRows: ImportUndoResult.ChangedRows, besides kept: KeptRows, isDryRun: Bool
    ) throws -> ImportUndoResult {
        struct RolledBack: Error { let result: ImportUndoResult }
        do {
            return try write { writer in
                var result = try writer.undoImport(number, changedRows, besides: kept)
                let isLast = changedRows != .keep || result.keptRows == kept
                guard result.isUndone, !isDryRun, isLast else {
                    if result.isUndone, isLast { try writer.checkRules() }
                    result.isUndone = false
                    throw RolledBack(result: result)
                }
                return result
            }
        } catch let error as RolledBack {
            return error.result
        }
    }
}
