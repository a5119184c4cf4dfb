import GRDB

/// Tells whether a transaction changed more rows than were asked for: by triggers and foreign keys of a
/// table's owner.
struct SideEffectDetector {
    private let isTracked: Bool
    private let changesBefore: Int
    private let trackingBefore: Int64

    /// Takes the count at the beginning.
    init(isTracked: Bool, in database: Database) throws {
        self.isTracked = isTracked
        changesBefore = database.totalChangesCount
        trackingBefore = try Self.numberOfTrackingChanges(isTracked, in: database)
    }

    /// Whether more rows changed since than `writtenRows`.
    func exceed(_ writtenRows: Int, in database: Database) throws -> Bool {
        let tracking = try Self.numberOfTrackingChanges(isTracked, in: database) - trackingBefore
        if database.totalChangesCount - changesBefore != writtenRows + Int(tracking) { return true }
        // Rows that a constraint replaces are not counted.
        return try !database.rows(
            "SELECT 1 FROM main.sqlite_schema WHERE sql LIKE '%CONFLICT%REPLACE%' AND name NOT GLOB 'sc_*' LIMIT 1"
        ).isEmpty
    }

    /// How many rows our own triggers changed in the present epochs: one of `sc_gen` for each row that was
    /// logged, or that dirty its table where there was no room, and what is in the log.
    private static func numberOfTrackingChanges(_ isTracked: Bool, in database: Database) throws -> Int64 {
        guard isTracked else { return 0 }
        let rows = try database.rows(
            """
            SELECT sum(iif(capacity > 0, capacity - room, nonce IS NULL) \
            + (SELECT count(*) FROM main.sc_log WHERE gen = id AND sc_log.seq = sc_gen.seq)) FROM main.sc_gen
            """)
        if case .integer(let count)? = rows.first?.first { return count }
        return 0
    }
}
