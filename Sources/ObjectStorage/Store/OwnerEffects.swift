import GRDB

/// Tells whether a transaction changed more rows than were asked for: by triggers and foreign keys of a table's owner.
struct OwnerEffects {
    private let isTracked: Bool
    private let changesBefore: Int
    private let unsealedBefore: Int64

    /// Takes the count at the beginning.
    init(isTracked: Bool, in database: Database) throws {
        self.isTracked = isTracked
        changesBefore = database.totalChangesCount
        unsealedBefore = try Self.numberOfUnsealedTables(isTracked, in: database)
    }

    /// Whether more rows changed since than `writtenRows`.
    func exceed(_ writtenRows: Int, in database: Database) throws -> Bool {
        // Our own triggers change a row for each table that they unseal.
        let unsealed = try Self.numberOfUnsealedTables(isTracked, in: database) - unsealedBefore
        if database.totalChangesCount - changesBefore != writtenRows + Int(unsealed) { return true }
        // Rows that a constraint replaces are not counted.
        return try !database.rows(
            "SELECT 1 FROM main.sqlite_schema WHERE sql LIKE '%CONFLICT%REPLACE%' LIMIT 1"
        ).isEmpty
    }

    private static func numberOfUnsealedTables(_ isTracked: Bool, in database: Database) throws -> Int64 {
        guard isTracked else { return 0 }
        let rows = try database.rows("SELECT count(*) FROM main.sc_gen WHERE nonce IS NULL")
        if case .integer(let count)? = rows.first?.first { return count }
        return 0
    }
}
