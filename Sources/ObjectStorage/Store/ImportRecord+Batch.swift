import Foundation
import GRDB

extension ImportRecord {
    /// The data with which an import can be undone.
    package enum UndoData: Hashable, Sendable {
        /// The store keeps the data, of this size in bytes.
        case kept(bytes: Int)
        /// The store does not keep data: it records none, or an earlier version of the library made the
        /// import.
        case none
        /// The data were dropped, because later imports needed the space.
        case dropped
        /// The import has more data than the store keeps.
        case tooLarge
    }

    /// The table of the imports that this version of the library made, also of unfinished ones. Earlier
    /// versions read and write `sc_import` only.
    static let batchTableSQL = """
        CREATE TABLE IF NOT EXISTS main.sc_import_batch (
            number INTEGER PRIMARY KEY, time REAL NOT NULL, file TEXT NOT NULL, source TEXT,
            entity TEXT NOT NULL, options TEXT NOT NULL, \(ImportCounts.columnsSQL),
            complete INTEGER NOT NULL DEFAULT 0, undone REAL, undo TEXT NOT NULL, bytes INTEGER NOT NULL DEFAULT 0)
        """

    /// The table of the data with which imports can be undone. Each row has rows of one table that one
    /// transaction wrote.
    static let undoTableSQL = """
        CREATE TABLE IF NOT EXISTS main.sc_import_undo (
            number INTEGER NOT NULL, part INTEGER NOT NULL, kind INTEGER NOT NULL, entity TEXT NOT NULL,
            columns TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (number, part))
        """

    /// Reads a row of the table of imports, with these columns.
    init?(batchRow row: [StoredValue]) {
        guard row.count == 14, let plain = ImportRecord(row: [row[0], row[1], row[2], .null] + row[3..<10])
        else { return nil }
        self = plain
        isComplete = row[10] == .integer(1)
        if case .real(let time) = row[11] { undoneDate = Date(timeIntervalSince1970: time) }
        switch row[12] {
        case .text("kept"): if case .integer(let bytes) = row[13] { undoData = .kept(bytes: Int(bytes)) }
        case .text("dropped"): undoData = .dropped
        case .text("tooLarge"): undoData = .tooLarge
        default: undoData = .none
        }
    }

    /// The columns of a row of the table of imports, for statements.
    static let batchColumns =
        "number, time, file, entity, options, \(ImportCounts.columns), complete, undone, undo, bytes"

    /// Reads the imports of a store in the order of their numbers, or only the one with a number.
    static func all(in source: any StatementSource, number: Int64? = nil) throws -> [ImportRecord] {
        let condition = number.map { " WHERE number = \($0)" } ?? ""
        var records: [Int64: ImportRecord] = [:]
        if try source.hasTable(named: "sc_import") {
            let rows = try source.rows(
                "SELECT number, time, file, digest, entity, options, \(ImportCounts.columns) FROM main.sc_import\(condition)"
            )
            for record in rows.compactMap(ImportRecord.init(row:)) { records[record.number] = record }
        }
        if try source.hasTable(named: "sc_import_batch") {
            let rows = try source.rows("SELECT \(batchColumns) FROM main.sc_import_batch\(condition)")
            for batch in rows.compactMap(ImportRecord.init(batchRow:)) {
                guard let record = records[batch.number] else {
                    if !batch.isComplete { records[batch.number] = batch }
                    continue
                }
                records[batch.number] = record.withState(of: batch)
            }
        }
        return records.values.sorted { $0.number < $1.number }
    }

    private func withState(of batch: ImportRecord) -> ImportRecord {
        var record = self
        (record.isComplete, record.undoneDate, record.undoData) = (true, batch.undoneDate, batch.undoData)
        return record
    }
}
