import Foundation
import GRDB
import Mutants

extension ChangeTracking {
    /// The number of a table's stamps that the log retains.
    private static let maximumStamps: Int64 = 64
    /// The number of a table's row changes that the log retains, in addition to those of the last epoch.
    private static let maximumChanges: Int64 = 32_768

    /// The number of rows up to which a bulk write does not check the room of the log: it always has room for
    /// this many.
    static let smallSize = 32

    /// Writes a new nonce for each table that this transaction changed, and ends the table's epoch in the
    /// log. These are the last statements before every commit of the library.
    ///
    /// The nonces come from the operating system and are bound one by one: in a process that was forked with
    /// an open connection, SQLite's `randomblob` repeats values.
    ///
    /// - Parameter vacuumed: The tables whose schema was changed only by `VACUUM` since their last stamps;
    ///   nil to determine them.
    /// - Returns: The number of row changes that the log could still record for each of the changed tables.
    @discardableResult
    static func stamp(
        in database: Database, vacuumed: Set<Int64>? = nil
    ) throws -> [String: Int64] {
        let dirtySQL = "SELECT id, seq, room, capacity, tbl FROM main.sc_gen WHERE nonce IS NULL"
        var dirty = try database.rows(dirtySQL)
        guard !dirty.isEmpty else { return [:] }
        let rooms = rooms(dirty.map { ($0[4], $0[2]) })
        let (schema, isNew) = try beginVersion(in: database)
        if isNew { dirty = try database.rows(dirtySQL) }
        var stampedSchemas = StampedSchemaMaker(version: schema, dirty.map { $0[4] }, vacuumed: vacuumed)
        for row in dirty {
            guard case .integer(let id) = row[0], case .integer(let room) = row[2],
                case .integer(let capacity) = row[3]
            else { continue }
            // Only another program can have stored a different value. The next number must not overflow.
            var sequence: Int64 = 0
            if case .integer(let last) = row[1], (0..<1 << 62).contains(last) { sequence = last }
            // Read before the table's last stamp changes.
            let stampedSchema = try stampedSchemas.next(
                trackingID: id, sequence: sequence, tableName: row[4], in: database)
            var nonce = StoredValue.blob(nonce())
            #if Mutants
            if Mutant.counterToken.isPlanted { nonce = .blob(bytes(of: sequence + 1)) }
            if Mutant.timedToken.isPlanted { nonce = .blob(bytes(of: Int64(time(nil)))) }
            #endif
            try database.run(
                "UPDATE main.sc_gen SET seq = ?1, nonce = ?2, room = capacity WHERE id = ?3",
                [.integer(sequence + 1), nonce, row[0]])
            let completeness = room > 0 ? stampedSchema.completeness : nil
            // Without a complete log no earlier state leads to the next one.
            if completeness == nil { try deleteLog(trackingID: id, in: database) }
            let changes =
                completeness != nil ? max(0, capacity.subtractingReportingOverflow(room).partialValue) : 0
            // The number may have been used before, if another program restored an old one.
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
        return rooms
    }

    /// Returns the numbers of row changes that the log can still record, by table. A table of which it cannot
    /// record any is left out.
    static func rooms(_ tables: [(name: StoredValue, room: StoredValue)]) -> [String: Int64] {
        tables.reduce(into: [:]) { rooms, table in
            guard case .text(let name) = table.name, case .integer(let room) = table.room, room > 0 else {
                return
            }
            rooms[name] = room
        }
    }

    #if Mutants
    /// Returns sixteen bytes of a number, which may repeat: a mutant.
    private static func bytes(of number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) + Array(repeating: 0, count: 8) }
    }
    #endif

    /// Marks a table as about to change in more rows than the log holds, so that none of them is logged.
    static func beginBulkWrite(to tableName: String, in database: Database) throws {
        try database.run("UPDATE main.sc_gen SET nonce = NULL, room = 0 WHERE tbl = ?1", [.text(tableName)])
    }

    /// Returns one more than the number of row changes that the log can still record for a table in the
    /// current epoch; 0 if it has overflowed or does not exist.
    static func room(ofTableNamed name: String, in database: Database) throws -> Int {
        let row = try database.rows("SELECT room FROM main.sc_gen WHERE tbl = ?1", [.text(name)]).first
        if case .integer(let room)? = row?.first { return Int(room) }
        return 0
    }

    /// Removes the log's limit for this transaction, which is rolled back after its changes are read, so that
    /// they never need to be stored.
    ///
    /// A log that has already overflowed stays without room.
    static func makeRoom(in database: Database) throws {
        try database.run("UPDATE main.sc_gen SET room = ?1 WHERE room > 0", [.integer(1 << 40)])
    }

    /// Deletes old epochs from the log.
    ///
    /// - Complexity: O(*n*) in the deleted entries and in the number of retained stamps.
    private static func prune(trackingID: Int64, sequence: Int64, in database: Database) throws {
        // The row of a stamp has the number of changes before it; their entries have the number of the
        // previous stamp.
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
        // The stamps are deleted first, so that the log's triggers find nothing to mark.
        for table in ["sc_epoch", "sc_log"] {
            try database.run(
                "DELETE FROM main.\(table) WHERE gen = ?1 AND seq < ?2",
                [.integer(trackingID), .integer(oldest)])
        }
    }

    /// Deletes the log of a table.
    static func deleteLog(trackingID: Int64, in database: Database) throws {
        for table in ["sc_log", "sc_epoch"] {
            try database.run("DELETE FROM main.\(table) WHERE gen = ?1", [.integer(trackingID)])
        }
    }
}
