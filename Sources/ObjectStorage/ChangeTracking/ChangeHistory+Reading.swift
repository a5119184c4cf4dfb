import GRDB
import ObjectModel

extension ChangeHistory {
    /// The largest number of changes that are listed. Reading more rows one by one takes longer than reading
    /// their tables.
    private static let maximumChangeCount: Int64 = 10_000

    /// Returns the position in the current transaction of a connection; nil if the history has no
    /// transaction, or the schema is not the one that it describes.
    ///
    /// - Complexity: O(log *n*) in the number of transactions.
    func position(in source: any StatementSource) throws -> Position? {
        guard try source.schemaVersionValue() == .integer(schemaVersion),
            let row = try source.controlRows(lastTransactionSQL).first, case .integer(let key) = row[0],
            let time = Self.time(row[1])
        else { return nil }
        return Position(schemaVersion: schemaVersion, transaction: key, time: time)
    }

    /// Returns the changes between an earlier position and the current transaction of a connection.
    ///
    /// - Returns: The changes; nil if the history does not continue from the position, lists no later change,
    ///   or lists more than 10,000.
    /// - Complexity: O(*n*·log *m*) for *n* changes in tables of *m* rows.
    func changes(
        since earlier: Position, of model: ManagedObjectModel, in source: any StatementSource
    ) throws -> StoreChanges? {
        guard let now = try position(in: source), now.schemaVersion == earlier.schemaVersion,
            now.transaction > earlier.transaction,
            let row = try source.controlRows(transactionSQL, [.integer(earlier.transaction)]).first,
            Self.time(row[0]) == earlier.time
        else { return nil }
        let rows = try source.controlRows(
            changesSQL, [.integer(earlier.transaction), .integer(Self.maximumChangeCount + 1)])
        guard !rows.isEmpty, rows.count <= Self.maximumChangeCount else { return nil }
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
            let row = "SELECT 1 FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1"
            for key in keys {
                let objectID = ObjectID(entityName: name, primaryKey: key)
                if try source.rows(row, [.integer(key)]).isEmpty {
                    changes.deletedObjectIDs.insert(objectID)
                } else if inserted.contains(objectID) {
                    changes.insertedObjectIDs.insert(objectID)
                } else {
                    changes.updatedObjectIDs.insert(objectID)
                }
            }
        }
        // A batch deletion clears references in SQL, and the history need not list the rows that had them.
        for name in Set(changes.deletedObjectIDs.map(\.entityName)) {
            changes.changedEntityNames.formUnion(Self.entities(of: model, leadingTo: name))
        }
        return changes
    }

    /// Returns the names of the entities whose rows may have references to objects of an entity.
    private static func entities(of model: ManagedObjectModel, leadingTo name: String) -> [String] {
        let names = [name] + (model.entity(named: name)?.hierarchy?.ancestorNames ?? [])
        return model.entities.filter { entity in
            entity.toOneRelationships.contains { names.contains($0.destinationEntityName) }
        }.map(\.name)
    }

    private static func time(_ value: StoredValue) -> UInt64? {
        switch value {
        case .real(let seconds): seconds.bitPattern
        case .integer(let seconds): Double(seconds).bitPattern
        default: nil
        }
    }
}
