import GRDB
import ObjectModel

extension ChangeHistory {
    /// The largest number of changes that are listed. Reading more rows one by one takes longer than reading
    /// their tables.
    private static let mostChanges: Int64 = 10_000

    /// Returns the position in the current transaction of a connection; nil without a transaction of the
    /// history.
    ///
    /// - Complexity: O(log *n*) in the number of transactions.
    func position(in source: any StatementSource) throws -> Position? {
        guard let row = try source.rows(lastTransactionSQL).first, case .integer(let key) = row[0],
            let time = Self.time(row[1]), case .integer(let version) = try source.schemaVersionValue()
        else { return nil }
        return Position(schemaVersion: version, transaction: key, time: time)
    }

    /// Returns the changes between an earlier position and the current transaction of a connection.
    ///
    /// - Returns: Nil if the history does not continue from the position, lists no change since, or lists
    ///   more than 10,000.
    /// - Complexity: O(*n*·log *m*) for *n* changes in tables of *m* rows.
    func changes(
        since earlier: Position, of model: ManagedObjectModel, in source: any StatementSource
    ) throws -> StoreChanges? {
        guard let now = try position(in: source), now.schemaVersion == earlier.schemaVersion,
            now.transaction > earlier.transaction,
            let row = try source.rows(transactionSQL, [.integer(earlier.transaction)]).first,
            Self.time(row[0]) == earlier.time
        else { return nil }
        let rows = try source.rows(
            changesSQL, [.integer(earlier.transaction), .integer(Self.mostChanges + 1)])
        guard !rows.isEmpty, rows.count <= Self.mostChanges else { return nil }
        var keys: [String: Set<Int64>] = [:]
        var inserted: Set<ObjectID> = []
        for row in rows {
            guard case .integer(let number) = row[0], case .integer(let key) = row[1] else { return nil }
            guard let name = entityNames[number] else { continue }
            keys[name, default: []].insert(key)
            if row[2] == .integer(0) { inserted.insert(ObjectID(entityName: name, primaryKey: key)) }
        }
        var changes = StoreChanges(changedEntityNames: unlistedEntityNames)
        for (name, keys) in keys {
            guard let entity = model.entity(named: name) else { continue }
            let present = try Self.present(keys, of: entity, in: source)
            for key in keys {
                let objectID = ObjectID(entityName: name, primaryKey: key)
                if !present.contains(key) {
                    changes.deletedObjectIDs.insert(objectID)
                } else if inserted.contains(objectID) {
                    changes.insertedObjectIDs.insert(objectID)
                } else {
                    changes.updatedObjectIDs.insert(objectID)
                }
            }
        }
        return changes
    }

    private static func present(
        _ keys: Set<Int64>, of entity: EntityDescription, in source: any StatementSource
    ) throws -> Set<Int64> {
        let list = "[" + keys.map(String.init).joined(separator: ",") + "]"
        let rows = try source.rows(
            "SELECT \(entity.keySQL) FROM \(entity.tableSQL) WHERE \(entity.keySQL) IN (SELECT value FROM json_each(?1))",
            [.text(list)])
        return Set(rows.compactMap { if case .integer(let key) = $0[0] { key } else { nil } })
    }

    private static func time(_ value: StoredValue) -> UInt64? {
        switch value {
        case .real(let seconds): seconds.bitPattern
        case .integer(let seconds): Double(seconds).bitPattern
        default: nil
        }
    }
}
