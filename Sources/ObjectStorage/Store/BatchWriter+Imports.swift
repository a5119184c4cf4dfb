import Foundation
import GRDB

/// Imports that the store records with the data by which they can be undone.
extension BatchWriter {
    /// The size of undo data that a store keeps unless another limit is given, in bytes.
    package static var undoDataLimit: Int { 64 << 20 }

    /// Begins or continues an import in the current transaction, and records it as unfinished.
    ///
    /// - Parameters:
    ///   - draft: The file, entity, options and counts. Its number is 0 for an import that begins, and that
    ///     of its ``ImportRecord`` for one that continues.
    ///   - source: The full path of the file, or nil for one that cannot be read again.
    ///   - limit: The size of the undo data of all imports that the store keeps, in bytes.
    /// - Returns: The number of the import.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/conflict`` if an import that continues
    ///   was undone meanwhile.
    package func beginImport(
        _ draft: ImportRecord, source: String?, limit: Int
    ) throws(ObjectStorageError) -> Int64 {
        try ObjectStorageError.translating("Recording the import") {
            var number = draft.number
            if number == 0 {
                number = try reservedNumber()
                try database.run(ImportRecord.batchTableSQL)
                let values: [StoredValue] = [
                    .integer(number), .real(draft.date.timeIntervalSince1970), .text(draft.fileName),
                    source.map(StoredValue.text) ?? .null, .text(draft.entityName), .text(draft.options),
                ]
                try database.run(
                    "INSERT INTO main.sc_import_batch (number, time, file, source, entity, options, \(ImportCounts.columns), undo) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'kept')",
                    values + draft.counts.values)
                try forgetOldImports(upTo: number - Int64(ImportRecord.capacity))
            }
            let record =
                try database.hasTable(named: "sc_import_batch")
                ? database.rows(
                    "SELECT \(ImportRecord.batchColumns) FROM main.sc_import_batch WHERE number = ?1",
                    [.integer(number)]
                ).first.flatMap(ImportRecord.init(batchRow:)) : nil
            guard let record, record.undoneDate == nil, !record.isComplete else {
                throw ObjectStorageError(
                    .conflict,
                    "Another process has undone import \(number) of \(container.nameInMessages), which was not finished. The rest of “\(draft.fileName)” was not imported. Import it again."
                )
            }
            var isRecording = false
            if case .kept = record.undoData { isRecording = limit > 0 }
            if limit == 0 {
                try ImportRecorder.dropData(of: number, because: "none", in: database)
            }
            importRecorder = ImportRecorder(number, limit: limit, isRecording: isRecording, in: database)
            return number
        }
    }

    /// Begins to record the rows that are written to a table by the import.
    ///
    /// - Parameter asRelated: Whether the rows are related objects, to which rows of the file refer. An undo
    ///   deletes such an object only if nothing else uses it.
    package func recordRows(of table: BatchTable, asRelated: Bool) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Recording the import") {
            try importRecorder?.add(table, asRelated ? .related : .inserted)
        }
    }

    /// Writes the undo data and the counts of the import at the end of a transaction.
    ///
    /// - Parameter record: The import with its number.
    /// - Returns: Whether the store keeps the data with which the import can be undone.
    @discardableResult
    package func endPart(of record: ImportRecord, isComplete: Bool) throws(ObjectStorageError) -> Bool {
        try ObjectStorageError.translating("Recording the import") {
            try importRecorder?.flush()
            // The data of earlier imports are not dropped before, because an import that becomes too large
            // loses only its own data.
            if isComplete { try importRecorder?.dropEarlierData() }
            let names = ImportCounts.columns.split(separator: ", ")
            let counts = names.enumerated().map { "\($1) = ?\($0 + 4)" }.joined(separator: ", ")
            try database.run(
                "UPDATE main.sc_import_batch SET complete = ?2, time = ?3, \(counts) WHERE number = ?1",
                [
                    .integer(record.number), .integer(isComplete ? 1 : 0),
                    .real(record.date.timeIntervalSince1970),
                ] + record.counts.values)
        }
        if isComplete { try add(record) }
        return importRecorder?.isRecording ?? false
    }

    /// Returns the last complete import into an entity of a file with a digest that was not undone and of
    /// which at least one record was a row, or nil.
    package func completeImport(
        ofEntityNamed entityName: String, digest: String
    ) throws(ObjectStorageError) -> ImportRecord? {
        try ObjectStorageError.translating("Reading the imports") {
            try ImportRecord.all(in: database).last {
                $0.entityName == entityName && $0.digest == digest && $0.undoneDate == nil
                    && $0.counts.rows > 0
            }
        }
    }

    /// Returns the number of the unfinished import of a file into an entity, or nil.
    ///
    /// - Parameter source: The full path of the file.
    package func unfinishedImport(
        ofEntityNamed entityName: String, source: String
    ) throws(ObjectStorageError) -> Int64? {
        try ObjectStorageError.translating("Reading the imports") {
            guard try database.hasTable(named: "sc_import_batch") else { return nil }
            let rows = try database.rows(
                "SELECT max(number) FROM main.sc_import_batch WHERE entity = ?1 AND source = ?2 AND NOT complete AND undone IS NULL",
                [.text(entityName), .text(source)])
            guard case .integer(let number)? = rows.first?.first else { return nil }
            return number
        }
    }

    /// Reserves a number, which no other import gets.
    private func reservedNumber() throws -> Int64 {
        try database.run(ImportRecord.tableSQL)
        let counts = ImportCounts().values.map { _ in "0" }.joined(separator: ", ")
        try database.run(
            "INSERT INTO main.sc_import (time, file, entity, options, \(ImportCounts.columns)) VALUES (0, '', '', '', \(counts))"
        )
        let number = database.lastInsertedRowID
        try database.run("DELETE FROM main.sc_import WHERE number = ?1", [.integer(number)])
        return number
    }

    private func forgetOldImports(upTo number: Int64) throws {
        if try database.hasTable(named: "sc_import_undo") {
            try database.run("DELETE FROM main.sc_import_undo WHERE number <= ?1", [.integer(number)])
        }
        try database.run("DELETE FROM main.sc_import_batch WHERE number <= ?1", [.integer(number)])
    }
}
