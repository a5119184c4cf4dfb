import GRDB

/// The rows that the tables of one batch affect.
final class ReachedRowsOfBatch {
    private let model: ManagedObjectModel
    private var rows: ReachedRows

    /// Creates an empty list; nil if no relationship has bounds, so that nothing has to be recorded. A row
    /// without a required relationship is refused when it is written.
    init?(of model: ManagedObjectModel) {
        self.model = model
        rows = ReachedRows(of: model)
        guard rows.hasBounds else { return nil }
    }

    func noteRow(_ key: Int64, _ entity: EntityDescription, isThere: Bool, in database: Database) throws {
        try rows.noteRow(key, entity, isThere: isThere, in: database)
    }

    func check(in database: Database) throws { try rows.check(in: database, "Nothing was written.") }

    /// Runs `body`, checks the rows that it and earlier statements affect, and forgets them. After an error,
    /// the rows are those of the earlier statements.
    func checking(in database: Database, _ body: () throws -> Void) throws {
        let earlier = rows
        do {
            try body()
            try check(in: database)
            rows = ReachedRows(of: model)
        } catch {
            rows = earlier
            throw error
        }
    }
}
