import GRDB

/// A detector of rows that a transaction changed in addition to those requested, by triggers and foreign keys
/// of other programs.
struct SideEffectDetector {
    private let isTracked: Bool
    private let changesBefore: Int
    private let trackingBefore: Int64

    /// Records the counts at the beginning.
    init(isTracked: Bool, in database: Database) throws {
        self.isTracked = isTracked
        changesBefore = database.totalChangesCount
        trackingBefore = try Self.numberOfTrackingChanges(isTracked, in: database)
    }

    /// Returns whether more rows than `writtenRows` have changed since the detector was created.
    func exceed(_ writtenRows: Int, in database: Database) throws -> Bool {
        let tracking = try Self.numberOfTrackingChanges(isTracked, in: database) - trackingBefore
        if database.totalChangesCount - changesBefore != writtenRows + Int(tracking) { return true }
        // Rows that are replaced because of a constraint are not counted.
        return try !database.rows(
            "SELECT 1 FROM main.sqlite_schema WHERE sql LIKE '%CONFLICT%REPLACE%' AND name NOT GLOB 'sc_*' LIMIT 1"
        ).isEmpty
    }

    /// Returns the number of rows that the library's triggers changed in the current epochs: one row of
    /// `sc_gen` for each logged change, or for clearing a stamp if the log has no room, and the rows of the
    /// log.
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
