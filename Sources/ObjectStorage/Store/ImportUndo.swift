import Foundation
import GRDB

/// The undoing of an import in one transaction.
///
/// Parts are read from the last to the first, and the rows of each in the opposite order of their writing, so
/// that a row has the fingerprint of the import's last write when it is read.
final class ImportUndo {
    let writer: BatchWriter
    let database: Database
    private let changedRows: ImportUndoResult.ChangedRows
    private(set) var result: ImportUndoResult
    private var tables: [String: UndoneTable] = [:]
    /// The changed rows.
    private var changed = KeptRows()
    /// The rows that are known to stay.
    private let kept: KeptRows
    /// The rows that stay because of others and were counted.
    private var keptTogether = KeptRows()

    init(
        _ record: ImportRecord, _ changedRows: ImportUndoResult.ChangedRows, besides kept: KeptRows,
        _ writer: BatchWriter
    ) {
        self.writer = writer
        self.changedRows = changedRows
        self.kept = kept
        database = writer.database
        result = ImportUndoResult(record)
        result.keptRows = kept
    }

    /// Undoes the import.
    func run() throws {
        guard try database.hasTable(named: "sc_import_undo") else { return }
        // Related objects are deleted after all rows that refer to them.
        for kinds in [[UndoRows.Kind.inserted, .updated, .deleted], [.related]] {
            let list = kinds.map { "\($0.rawValue)" }.joined(separator: ", ")
            let parts = try database.rows(
                "SELECT part FROM main.sc_import_undo WHERE number = ?1 AND kind IN (\(list)) ORDER BY part DESC",
                [.integer(result.record.number)])
            for part in parts { try undo(part[0]) }
        }
        // If no row belongs to another, no row stays because of others, and one run is enough.
        if !tables.values.contains(where: \.hasOwners) { result.keptRows = kept }
    }

    private func undo(_ part: StoredValue) throws {
        let row = try database.rows(
            "SELECT kind, entity, columns, data FROM main.sc_import_undo WHERE number = ?1 AND part = ?2",
            [.integer(result.record.number), part]
        ).first
        guard let row, case .integer(let number) = row[0], let kind = UndoRows.Kind(rawValue: number),
            case .text(let entityName) = row[1], case .text(let columns) = row[2],
            case .blob(let data) = row[3]
        else { throw damaged }
        let table = try table(entityName)
        let positions = try table.positions(columns.split(separator: "\u{1F}").map(String.init))
        switch kind {
        case .updated:
            guard let updates = UndoRows.updated(data) else { throw damaged }
            for update in updates.reversed() { try restore(update, positions, in: table) }
        case .deleted:
            guard let rows = UndoRows.updated(data) else { throw damaged }
            for row in rows.reversed() { try insert(row, positions, in: table) }
        case .inserted:
            guard let rows = UndoRows.inserted(data) else { throw damaged }
            for (key, fingerprint) in rows.reversed() {
                try delete(key, fingerprint, positions, in: table)
            }
        case .related:
            guard let rows = UndoRows.inserted(data) else { throw damaged }
            for (key, fingerprint) in rows.reversed() {
                try deleteRelated(key, fingerprint, positions, in: table)
            }
        }
    }

    private var damaged: ObjectStorageError {
        ObjectStorageError(
            .notADatabase,
            "The undo data of import \(result.record.number) of \(writer.container.nameInMessages) are damaged. Nothing was undone."
        )
    }

    private func table(_ entityName: String) throws -> UndoneTable {
        if let table = tables[entityName] { return table }
        let counts = result.record.counts
        let table = try UndoneTable(
            try writer.table(entityName, expectedRows: counts.inserted + counts.updated),
            writer.container.model)
        tables[entityName] = table
        return table
    }

    /// Gives a row its earlier values.
    private func restore(
        _ update: UndoRows.Update, _ positions: [Int], in table: UndoneTable
    ) throws {
        let wasChanged = isChanged(update.key, table)
        guard let row = try table.rows.storedRow(update.key) else {
            if !wasChanged { try note(.deleted, update.key, [], [], table) }
            return
        }
        guard update.earlier.allSatisfy({ positions.indices.contains($0.column) }) else { throw damaged }
        let earlier = update.earlier.map { (column: positions[$0.column], value: $0.value) }
        if !wasChanged {
            if RowFingerprint.value(of: row, positions) != update.fingerprint {
                try note(.values, update.key, row, earlier, table)
            } else if let name = try table.missingObject(earlier) {
                try note(.missing(relationship: name), update.key, row, earlier, table)
            }
        }
        guard !isChanged(update.key, table) || changedRows == .undo,
            try !stays(update.key, row, table)
        else { return }
        try restoreRow(update.key, row, earlier, table) {
            try table.rows.setValues(try table.withoutMissingObjects(earlier), of: update.key)
        }
    }

    /// Writes earlier values of a row, unless another row has a value that must be unique.
    private func restoreRow(
        _ key: Int64, _ row: [StoredValue], _ earlier: [(column: Int, value: StoredValue)],
        _ table: UndoneTable, write: () throws -> Void
    ) throws {
        do {
            try write()
            result.restored += 1
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            let message = error.message ?? ""
            guard changedRows != .undo else {
                throw ObjectStorageError(
                    .constraintViolation,
                    "“\(table.rows.entity.name)” \(key) cannot get its earlier values back, because another row has one that must be unique (\(message)). Nothing was undone. Change or delete that row, or keep changed rows.",
                    entityName: table.rows.entity.name)
            }
            try note(.duplicate(message), key, row, earlier, table)
        }
    }

    /// Inserts a row again that the import deleted.
    private func insert(_ deleted: UndoRows.Update, _ positions: [Int], in table: UndoneTable) throws {
        guard deleted.earlier.allSatisfy({ positions.indices.contains($0.column) }) else { throw damaged }
        let values = deleted.earlier.map { (column: positions[$0.column], value: $0.value) }
        if try table.rows.storedRow(deleted.key) != nil {
            return try note(.values, deleted.key, [], [], table)
        }
        var row = [StoredValue](repeating: .null, count: table.rows.columns.count)
        for (column, value) in values { row[column] = value }
        guard try !stays(deleted.key, row, table) else { return }
        if let name = try table.missingObject(values) {
            try note(.missing(relationship: name), deleted.key, [], [], table)
            guard changedRows == .undo else { return }
        }
        try restoreRow(deleted.key, [], [], table) {
            try table.rows.insertRow(deleted.key, try table.withoutMissingObjects(values))
        }
    }

    /// Deletes a row that the import inserted.
    private func delete(
        _ key: Int64, _ fingerprint: UInt32, _ positions: [Int], in table: UndoneTable
    ) throws {
        guard let row = try table.rows.storedRow(key) else {
            result.absent += 1
            return
        }
        var user: String?
        if !isChanged(key, table) {
            user = try table.references.user(of: key)
            if RowFingerprint.value(of: row, positions) != fingerprint {
                try note(.values, key, row, [], table)
            } else if let user {
                try note(.used(by: user), key, row, [], table)
            }
        }
        guard try !stays(key, row, table) else { return }
        if isChanged(key, table) {
            guard changedRows == .undo else { return }
            try table.references.clearReferences(to: key)
        }
        try table.rows.deleteRow(key)
        result.deleted += 1
    }

    /// Deletes a related object, to which a row of the file referred, unless something uses it.
    private func deleteRelated(
        _ key: Int64, _ fingerprint: UInt32, _ positions: [Int], in table: UndoneTable
    ) throws {
        guard let row = try table.rows.storedRow(key) else {
            result.absent += 1
            return
        }
        guard try table.references.user(of: key) == nil else {
            result.usedRelated += 1
            return
        }
        if !isChanged(key, table), RowFingerprint.value(of: row, positions) != fingerprint {
            try note(.values, key, row, [], table)
        }
        guard !isChanged(key, table) || changedRows == .undo else { return }
        try table.rows.deleteRow(key)
        result.deletedRelated += 1
    }

    private func isChanged(_ key: Int64, _ table: UndoneTable) -> Bool {
        changed.contains(key, ofTable: table.name)
    }

    /// Returns whether a row that was not changed stays, because a row to which it belongs does, or because a
    /// row that belongs to it was changed.
    private func stays(_ key: Int64, _ row: [StoredValue], _ table: UndoneTable) throws -> Bool {
        guard !kept.isEmpty, !isChanged(key, table) else { return false }
        guard
            try kept.contains(key, ofTable: table.name)
                || table.owners(of: row).contains(where: { kept.contains($0.key, ofTable: $0.table) })
        else { return false }
        if keptTogether.insert(key, ofTable: table.name) { result.keptTogether += 1 }
        return true
    }

    private func note(
        _ change: ImportUndoResult.ChangedRow.Change, _ key: Int64, _ row: [StoredValue],
        _ earlier: [(column: Int, value: StoredValue)], _ table: UndoneTable
    ) throws {
        changed.insert(key, ofTable: table.name)
        result.keptRows.insert(key, ofTable: table.name)
        for owner in try table.owners(of: row) { result.keptRows.insert(owner.key, ofTable: owner.table) }
        result.changed += 1
        guard result.examples.count < ImportUndoResult.maximumExamples else { return }
        let fields = row.indices.map { column in
            (
                name: table.rows.columns[column], present: row[column],
                earlier: earlier.first { $0.column == column }?.value
            )
        }
        result.examples.append(
            ImportUndoResult.ChangedRow(entity: table.rows.entity, key: key, change: change, fields: fields))
    }
}
