import GRDB

/// The rows that the tables of one batch affect.
final class ReachedRowsOfBatch {
    private var rows: ReachedRows

    /// Nil if no relationship has bounds, so that nothing has to be recorded. A row without a required
    /// relationship is refused when it is written.
    init?(of model: ManagedObjectModel) {
        rows = ReachedRows(of: model)
        guard rows.hasBounds else { return nil }
    }

    func noteRow(_ key: Int64, _ entity: EntityDescription, isThere: Bool, in database: Database) throws {
        try rows.noteRow(key, entity, isThere: isThere, in: database)
    }

    func check(in database: Database) throws { try rows.check(in: database, "Nothing was written.") }
}
