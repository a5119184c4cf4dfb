import Foundation
import GRDB
import Mutants

extension ChangeTracking {
    /// How many stamps of a table the log reaches back.
    private static let maximumStamps: Int64 = 64
    /// How many row changes of a table it holds besides those of the last epoch.
    private static let maximumChanges: Int64 = 32_768

    /// Up to how many rows nobody asks whether the log has room for them: each table's has for as many.
    static let smallSize = 32

    /// Gives each table that this transaction changed a new nonce, and ends its epoch in the log. The last
    /// statements before every commit of ours.
    ///
    /// The nonces come from the operating system and are bound one by one: SQLite's `randomblob` repeats in a
    /// process that was forked with an open connection.
    ///
    /// - Parameter vacuumed: The tables of which `VACUUM` alone changed the schema since their last stamps; nil
    ///   to find out.
    static func stamp(in database: Database, vacuumed: Set<Int64>? = nil) throws {
        let dirtySQL = "SELECT id, seq, room, capacity, tbl FROM main.sc_gen WHERE nonce IS NULL"
        var dirty = try database.rows(dirtySQL)
        guard !dirty.isEmpty else { return }
        let (schema, isNew) = try beginVersion(in: database)
        if isNew { dirty = try database.rows(dirtySQL) }
        var stampedSchemas = StampedSchemaMaker(version: schema, dirty.map { $0[4] }, vacuumed: vacuumed)
        for row in dirty {
            guard case .integer(let id) = row[0], case .integer(let room) = row[2],
                case .integer(let capacity) = row[3]
            else { continue }
            // Only somebody else can have put something else there, and there must be a next number.
            var sequence: Int64 = 0
            if case .integer(let last) = row[1], (0..<1 << 62).contains(last) { sequence = last }
            // Before the table has another last stamp.
            let stampedSchema = try stampedSchemas.next(
                trackingID: id, sequence: sequence, tableName: row[4], in: database)
            var nonce = StoredValue.blob(nonce())
            if Mutant.counterToken.isPlanted { nonce = .blob(bytes(of: sequence + 1)) }
            if Mutant.timedToken.isPlanted { nonce = .blob(bytes(of: Int64(time(nil)))) }
            try database.run(
                "UPDATE main.sc_gen SET seq = ?1, nonce = ?2, room = capacity WHERE id = ?3",
                [.integer(sequence + 1), nonce, row[0]])
            let completeness = room > 0 ? stampedSchema.completeness : nil
            // No state from before can be followed to the next one.
            if completeness == nil { try deleteLog(trackingID: id, in: database) }
            let changes =
                completeness != nil ? max(0, capacity.subtractingReportingOverflow(room).partialValue) : 0
            // The number may have been given before, where somebody brought an old one back.
            try database.run(
                "INSERT OR REPLACE INTO main.sc_epoch (gen, seq, nonce, isComplete, changes, schema) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                [
                    row[0], .integer(sequence + 1), nonce, .integer(completeness?.rawValue ?? 0),
                    .integer(changes),
                    stampedSchema.value,
                ])
            if (sequence + 1) % 16 == 0 || changes >= StoreSchema.logCapacity / 4 {
                try prune(trackingID: id, sequence: sequence + 1, in: database)
            }
        }
    }

    /// Sixteen bytes of a number, which nothing keeps from coming again.
    private static func bytes(of number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) + Array(repeating: 0, count: 8) }
    }

    /// Says that more rows of a table are about to change than are logged, so that none is.
    static func beginBulkWrite(to tableName: String, in database: Database) throws {
        try database.run("UPDATE main.sc_gen SET nonce = NULL, room = 0 WHERE tbl = ?1", [.text(tableName)])
    }

    /// From how many row changes of a table on the log of the present epoch lacks some; 0 where it does
    /// already, or there is none.
    static func room(ofTableNamed name: String, in database: Database) throws -> Int {
        let row = try database.rows("SELECT room FROM main.sc_gen WHERE tbl = ?1", [.text(name)]).first
        if case .integer(let room)? = row?.first { return Int(room) }
        return 0
    }

    /// Has the log take whatever this transaction changes, which is only looked at and rolled back: nobody
    /// has to keep it.
    ///
    /// Where changes were left out already, it stays without room.
    static func makeRoom(in database: Database) throws {
        try database.run("UPDATE main.sc_gen SET room = ?1 WHERE room > 0", [.integer(1 << 40)])
    }

    /// Deletes what the log has of old epochs.
    ///
    /// - Complexity: O(*n*) in what is deleted, and in the number of stamps that are kept.
    private static func prune(trackingID: Int64, sequence: Int64, in database: Database) throws {
        // The row of a stamp has the changes before it; those are of the epoch with the number before.
        let rows = try database.rows(
            "SELECT seq, changes FROM main.sc_epoch WHERE gen = ?1 AND seq > ?2 ORDER BY seq DESC",
            [.integer(trackingID), .integer(sequence - maximumStamps)])
        var oldest = sequence
        var sum: Int64 = 0
        for row in rows {
            guard case .integer(let stamp) = row[0], case .integer(let changes) = row[1] else { continue }
            oldest = stamp
            sum += min(max(0, changes), maximumChanges + 1)
            if sum > maximumChanges { break }
        }
        // The stamps first, so that the triggers of the log have nothing to note.
        for table in ["sc_epoch", "sc_log"] {
            try database.run(
                "DELETE FROM main.\(table) WHERE gen = ?1 AND seq < ?2",
                [.integer(trackingID), .integer(oldest)])
        }
    }

    /// Deletes all that the log has of a table.
    static func deleteLog(trackingID: Int64, in database: Database) throws {
        for table in ["sc_log", "sc_epoch"] {
            try database.run("DELETE FROM main.\(table) WHERE gen = ?1", [.integer(trackingID)])
        }
    }
}
