import Foundation
import GRDB

/// The recorder of an import in one transaction: its counts, and the rows that it writes, with which it can
/// be undone.
final class ImportRecorder {
    private let number: Int64
    private let limit: Int
    private let database: Database
    private var tables: [RowRecorder] = []
    private var bytes = 0
    /// Whether rows are recorded.
    private(set) var isRecording: Bool

    /// The size of recorded rows in memory, in bytes, above which they are written to the store.
    private static let partSize = 1 << 20

    init(_ number: Int64, limit: Int, isRecording: Bool, in database: Database) {
        (self.number, self.limit, self.isRecording, self.database) = (number, limit, isRecording, database)
    }

    /// Begins to record the rows that are written to a table.
    func add(_ table: BatchTable, _ kind: UndoRows.Kind) throws {
        guard isRecording else { return }
        let readsBack = try table.entity.mapping != nil || table.hasForeignRules()
        let recorder = RowRecorder(table, kind, readsBack: readsBack) { [unowned self] growth in
            bytes += growth
            if bytes > Self.partSize { try flush() }
        }
        tables.append(recorder)
        table.recorder = recorder
    }

    /// Writes the recorded rows to the store, and drops the data of the import if they exceed the limit.
    func flush() throws {
        bytes = 0
        guard isRecording else { return }
        var parts: [(RowRecorder, UndoRows.Kind, [UInt8])] = []
        var updates: [(RowRecorder, UndoRows.Kind, [UInt8])] = []
        var deletions: [(RowRecorder, UndoRows.Kind, [UInt8])] = []
        for table in tables {
            let (inserted, updated, deleted) = table.take()
            if let inserted { parts.append((table, table.kind, inserted)) }
            if let updated { updates.append((table, .updated, updated)) }
            if let deleted { deletions.append((table, .deleted, deleted)) }
        }
        // An undo begins with the last part: a row that was inserted and updated is restored, then deleted.
        // An element is inserted again before the elements of its arrays.
        parts += updates + deletions.reversed()
        guard !parts.isEmpty else { return }
        try database.run(ImportRecord.undoTableSQL)
        for (table, kind, data) in parts {
            try database.run(
                """
                INSERT INTO main.sc_import_undo (number, part, kind, entity, columns, data) VALUES (?1, \
                (SELECT coalesce(max(part), 0) + 1 FROM main.sc_import_undo WHERE number = ?1), ?2, ?3, ?4, ?5)
                """,
                [
                    .integer(number), .integer(kind.rawValue), .text(table.entity.name),
                    .text(table.columnNames.joined(separator: "\u{1F}")), .blob(data),
                ])
        }
        let size = parts.reduce(0) { $0 + $1.2.count }
        try database.run(
            "UPDATE main.sc_import_batch SET bytes = bytes + ?2 WHERE number = ?1",
            [.integer(number), .integer(Int64(size))])
        try keepOwnWithinLimit()
    }

    private func keepOwnWithinLimit() throws {
        let rows = try database.rows(
            "SELECT bytes FROM main.sc_import_batch WHERE number = ?1", [.integer(number)])
        guard case .integer(let bytes)? = rows.first?.first, bytes > Int64(limit) else { return }
        try Self.dropData(of: number, because: "tooLarge", in: database)
        isRecording = false
        for table in tables { table.stop() }
    }

    /// Drops the data of the earliest imports until the store keeps no more than the limit.
    func dropEarlierData() throws {
        let sizes = try database.rows(
            "SELECT number, bytes FROM main.sc_import_batch WHERE bytes > 0 ORDER BY number = ?1, number",
            [.integer(number)]
        ).compactMap { row -> (number: Int64, bytes: Int64)? in
            guard case .integer(let number) = row[0], case .integer(let bytes) = row[1] else { return nil }
            return (number, bytes)
        }
        var total = sizes.reduce(0) { $0 + $1.bytes }
        for size in sizes where total > Int64(limit) {
            total -= size.bytes
            try Self.dropData(of: size.number, because: "dropped", in: database)
        }
    }

    /// Deletes the data with which an import can be undone.
    static func dropData(of number: Int64, because reason: String, in database: Database) throws {
        if try database.hasTable(named: "sc_import_undo") {
            try database.run("DELETE FROM main.sc_import_undo WHERE number = ?1", [.integer(number)])
        }
        try database.run(
            "UPDATE main.sc_import_batch SET undo = ?2, bytes = 0 WHERE number = ?1",
            [.integer(number), .text(reason)])
    }
}
