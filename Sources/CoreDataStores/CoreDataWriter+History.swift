import Foundation
import ObjectStorage

/// The history of changes, from which an app, CloudKit's mirroring and other observers learn of a save.
///
/// The tables and the numbers of their entities are those of sample stores. All changes in these stores are
/// insertions without a mask of changed columns, so the order of the bits is not known, and the mask of an
/// update is NULL.
extension CoreDataWriter {
    private enum ChangeType: Int64 { case insertion, update, deletion }

    /// Appends a transaction and its changes.
    func appendHistory(in database: ExternalStoreConnection) throws(ObjectStorageError) {
        var changes: [[StoredValue]] = []
        for (index, table) in plan.tables.enumerated() {
            let inserted = try entities(of: recorder.insertedKeys(inTable: index), in: table, database)
            let updated = try entities(of: recorder.updatedKeys(inTable: index), in: table, database)
            for (type, keys) in [
                (ChangeType.insertion, inserted), (.update, updated),
                (.deletion, recorder.deletedKeys(inTable: index)),
            ] {
                changes += keys.map { [.integer(type.rawValue), .integer($0.entity), .integer($0.key)] }
            }
        }
        guard !changes.isEmpty else { return }
        let transaction = try appendTransaction(in: database)
        var keys = try HistoryKeys(of: "CHANGE", "ACHANGE", in: database)
        for change in changes {
            try database.run(
                "INSERT INTO main.ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                [.integer(keys.next()), .integer(keys.entity)] + change + [.integer(transaction)])
        }
        try keys.write(to: database)
    }

    private func appendTransaction(in database: ExternalStoreConnection) throws(ObjectStorageError) -> Int64 {
        let columns = try database.rows("PRAGMA main.table_info('ATRANSACTION')").compactMap { row in
            if case .text(let name) = row[1] { name.uppercased() } else { nil }
        }
        let process = ProcessInfo.processInfo.processName
        let texts = [
            ("ZAUTHOR", options.author), ("ZBUNDLEID", Bundle.main.bundleIdentifier ?? process),
            ("ZPROCESSID", process),
        ]
        var keys = try HistoryKeys(of: "TRANSACTION", "ATRANSACTION", in: database)
        var names = ["Z_PK", "Z_ENT", "ZTIMESTAMP"]
        let transaction = keys.next()
        var values: [StoredValue] = [
            .integer(transaction), .integer(keys.entity), .real(Date().timeIntervalSinceReferenceDate),
        ]
        for (name, text) in texts {
            guard let text else { continue }
            // Earlier versions have the texts in the table itself.
            if columns.contains(name + "TS") {
                names.append(name + "TS")
                values.append(.integer(try key(ofString: text, in: database)))
            } else if columns.contains(name) {
                names.append(name)
                values.append(.text(text))
            }
        }
        let parameters = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        try database.run(
            "INSERT INTO main.ATRANSACTION (\(names.joined(separator: ", "))) VALUES (\(parameters))", values)
        try keys.write(to: database)
        return transaction
    }

    /// Returns the key of a text that transactions share.
    private func key(ofString text: String, in database: ExternalStoreConnection) throws(ObjectStorageError)
        -> Int64
    {
        let rows = try database.rows(
            "SELECT Z_PK FROM main.ATRANSACTIONSTRING WHERE ZNAME = ?1", [.text(text)])
        if case .integer(let key)? = rows.first?.first { return key }
        var keys = try HistoryKeys(of: "TRANSACTIONSTRING", "ATRANSACTIONSTRING", in: database)
        let key = keys.next()
        try database.run(
            "INSERT INTO main.ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, ?2, ?3)",
            [.integer(key), .integer(keys.entity), .text(text)])
        try keys.write(to: database)
        return key
    }
}

/// The keys of new rows in a table of the history.
private struct HistoryKeys {
    /// The number of the table's entity, 16001 to 16003 in sample stores.
    let entity: Int64
    private var last: Int64

    init(
        of entityName: String, _ table: String, in database: ExternalStoreConnection
    ) throws(ObjectStorageError) {
        let rows = try database.rows(
            "SELECT Z_ENT, max(ifnull(Z_MAX, 0), ifnull((SELECT max(Z_PK) FROM main.\(table)), 0)) FROM main.Z_PRIMARYKEY WHERE Z_NAME = ?1 AND Z_ENT >= ?2",
            [.text(entityName), .integer(StoreTables.firstInternalNumber)])
        guard let row = rows.first, case .integer(let entity) = row[0], case .integer(let last) = row[1],
            last < .max
        else {
            throw ObjectStorageError(
                .existingTableMismatch,
                "The store has a history of changes, and Z_PRIMARYKEY has no row “\(entityName)” for it. Nothing was saved, because the history would lack the change."
            )
        }
        self.entity = entity
        self.last = last
    }

    /// Returns the key of the next row.
    mutating func next() -> Int64 {
        last += 1
        return last
    }

    /// Writes the largest key.
    func write(to database: ExternalStoreConnection) throws(ObjectStorageError) {
        try database.run(
            "UPDATE main.Z_PRIMARYKEY SET Z_MAX = ?2 WHERE Z_ENT = ?1", [.integer(entity), .integer(last)])
    }
}
