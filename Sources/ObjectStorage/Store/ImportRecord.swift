package import Foundation
import GRDB

/// An import of a file into an entity, which the store records.
package struct ImportRecord: Hashable, Sendable {
    /// The number of imports that a store records. Earlier ones are forgotten.
    package static let capacity = 1_000

    /// The number of the import in the store, from 1.
    package var number: Int64
    /// The time of the last transaction.
    package var date: Date
    /// The name of the file, without its folder.
    package var fileName: String
    /// The SHA-256 of the file's bytes, decompressed, in hexadecimal digits; nil if it is not known.
    package var digest: String?
    /// The entity of the rows.
    package var entityName: String
    /// The options of the import, as text.
    package var options: String
    /// The numbers of rows and of related objects.
    package var counts: ImportCounts
    /// Whether all records of the file were imported. An unfinished import was stopped, or is running.
    package var isComplete = true
    /// The time at which the import was undone, or nil.
    package var undoneDate: Date?
    /// The data with which the import can be undone.
    package var undoData = UndoData.none

    /// Describes an import.
    ///
    /// - Parameter number: The number, or 0 for the one that the store assigns when it records the import.
    package init(
        number: Int64 = 0, date: Date, fileName: String, digest: String?, entityName: String,
        options: String, counts: ImportCounts
    ) {
        self.number = number
        self.date = date
        self.fileName = fileName
        self.digest = digest
        self.entityName = entityName
        self.options = options
        self.counts = counts
    }

    // AUTOINCREMENT, so that no number is used twice.
    static let tableSQL = """
        CREATE TABLE IF NOT EXISTS main.sc_import (
            number INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, file TEXT NOT NULL, digest TEXT,
            entity TEXT NOT NULL, options TEXT NOT NULL, \(ImportCounts.columnsSQL))
        """
}

extension BatchWriter {
    /// Records an import in the current transaction, and forgets all but the last ``ImportRecord/capacity``.
    ///
    /// - Throws: ``ObjectStorageError`` if a write fails.
    package func add(_ record: ImportRecord) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Recording the import") {
            try database.run(ImportRecord.tableSQL)
            let values: [StoredValue] = [
                .real(record.date.timeIntervalSince1970), .text(record.fileName),
                record.digest.map(StoredValue.text) ?? .null, .text(record.entityName),
                .text(record.options),
            ]
            try database.run(
                "INSERT INTO main.sc_import (time, file, digest, entity, options, \(ImportCounts.columns), number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                values + record.counts.values + [record.number == 0 ? .null : .integer(record.number)])
            try database.run(
                "DELETE FROM main.sc_import WHERE number <= (SELECT max(number) FROM main.sc_import) - \(ImportRecord.capacity)"
            )
        }
    }
}

extension ImportRecord {
    /// Reads a row of the table; nil if it has other values than an import writes.
    init?(row: [StoredValue]) {
        guard case .integer(let number) = row[0], case .real(let time) = row[1],
            case .text(let file) = row[2],
            case .text(let entity) = row[4], case .text(let options) = row[5],
            let counts = ImportCounts(row[6...])
        else { return nil }
        var digest: String?
        if case .text(let text) = row[3] { digest = text }
        self.init(
            number: number, date: Date(timeIntervalSince1970: time), fileName: file, digest: digest,
            entityName: entity, options: options, counts: counts)
    }
}
