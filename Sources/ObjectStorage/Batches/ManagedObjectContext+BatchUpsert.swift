import GRDB

extension ManagedObjectContext {
    /// Inserts an object for each row of a sequence, or updates the object that has the row's unique value,
    /// without creating objects in memory, in one transaction.
    ///
    /// ```swift
    /// let rows: [[String: StoredValue]] = [["isbn": .text("978-3-16-148410-0"), "price": .integer(12)]]
    /// let result = try context.batchInsert(Book.self, updatingOn: \.isbn, rows: rows)
    /// ```
    ///
    /// An update writes the properties that the row has, and keeps all others. A row whose unique value is
    /// nil, or missing without a default, is inserted. A row may have the unique value of an earlier row of
    /// the sequence, whose object it then updates. In all other respects the method behaves like
    /// ``batchInsert(_:entityName:rows:resultType:)``: the change log, caches, contexts and followed lists
    /// receive the changes, and rules of attributes and relationships hold.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - entityName: The entity, if it is not the class's own. Objects of its sub-entities are updated as
    ///     well; a unique value of an object of another entity is an error.
    ///   - keyPath: A unique attribute, or the first property of a uniqueness constraint; in an existing
    ///     table, of a unique index.
    ///   - others: The other properties of the constraint or index.
    ///   - rows: The values by the names of attributes and to-one relationships; the value of a relationship
    ///     is the other object's key. A lazy sequence is consumed row by row and need not fit in memory.
    ///   - resultType: The kind of result.
    /// - Throws: ``ObjectStorageError``, with the row's number, if a property does not exist, a value is
    ///   invalid or missing, another unique value is repeated, or the write fails; also
    ///   ``ObjectStorageError/Code/invalidRequest`` if the properties are not unique. In these cases nothing
    ///   is written.
    /// - Complexity: O(*n* log *m*) for *n* rows in a table of *m* rows.
    @discardableResult
    public func batchInsert<Object: ManagedObject, Value, each Other>(
        _ type: Object.Type, entityName: String? = nil, updatingOn keyPath: KeyPath<Object, Value>,
        _ others: repeat KeyPath<Object, each Other>,
        rows: some Sequence<[String: StoredValue]>, resultType: BatchResultType = .count
    ) throws(ObjectStorageError) -> BatchUpsertResult {
        var names = [ManagedObject.propertyPath(of: keyPath)]
        repeat names.append(ManagedObject.propertyPath(of: each others))
        return try batchInsert(
            type, entityName: entityName, updatingOn: names, rows: rows, resultType: resultType)
    }

    /// Inserts an object for each row of a sequence, or updates the object that has the row's unique values,
    /// as the method that takes key paths does.
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - entityName: The entity, if it is not the class's own.
    ///   - names: The names of the properties that are unique together.
    ///   - rows: The values by the names of attributes and to-one relationships.
    ///   - resultType: The kind of result.
    /// - Throws: ``ObjectStorageError``, as that method does.
    /// - Complexity: O(*n* log *m*) for *n* rows in a table of *m* rows.
    @discardableResult
    public func batchInsert<Object: ManagedObject>(
        _ type: Object.Type, entityName: String? = nil, updatingOn names: [String],
        rows: some Sequence<[String: StoredValue]>, resultType: BatchResultType = .count
    ) throws(ObjectStorageError) -> BatchUpsertResult {
        let runtime = try requireRuntime(ofEntityNamed: entityName ?? type.entityName)
        let entity = runtime.description
        var written = WrittenRows(isListed: resultType == .objectIDs)
        let (_, tables) = try container.commit("Inserting into “\(entity.name)”") { database in
            written = WrittenRows(isListed: resultType == .objectIDs)
            let reachedRows = ReachedRowsOfBatch(of: container.model)
            let table = try BatchTable(
                entity: entity, of: container, expectedRows: rows.underestimatedCount,
                reachedRows: reachedRows, in: database)
            let writer = UpsertedRows(
                runtime, table, try BatchUpsert(names, into: table, of: container.model, in: database))
            var number = 0
            for row in rows {
                number += 1
                do throws(ObjectStorageError) {
                    let outcome = try ObjectStorageError.translating("Writing to “\(entity.name)”") {
                        try writer.write(row, in: database)
                    }
                    written.note(outcome)
                } catch {
                    throw error.replacing(
                        message: "Row \(number): \(error.message) Nothing was written.",
                        entityName: entity.name)
                }
            }
            try reachedRows?.check(in: database)
        }
        var changes = StoreChanges(
            insertedObjectIDs: Set(written.inserted), updatedObjectIDs: Set(written.updated))
        if resultType == .count { changes.changedEntityNames = written.entityNames }
        let published = publish(
            count: written.insertedCount + written.updatedCount, objectIDs: [], changes: changes,
            tables: tables)
        return BatchUpsertResult(
            insertedCount: written.insertedCount, updatedCount: written.updatedCount,
            insertedObjectIDs: written.inserted, updatedObjectIDs: written.updated,
            changes: published.changes)
    }
}

/// The rows that a batch wrote, each once.
private struct WrittenRows {
    /// Whether the result contains identities; if not, it contains only counts.
    let isListed: Bool
    private(set) var insertedCount = 0
    private(set) var updatedCount = 0
    private(set) var inserted: [ObjectID] = []
    private(set) var updated: [ObjectID] = []
    private(set) var entityNames: Set<String> = []
    private var keys: Set<Int64> = []

    init(isListed: Bool) { self.isListed = isListed }

    mutating func note(_ outcome: UpsertedRows.Outcome) {
        switch outcome {
        case .inserted(let objectID):
            guard isFirst(objectID) else { return }
            insertedCount += 1
            if isListed { inserted.append(objectID) }
        case .updated(let objectID):
            guard isFirst(objectID) else { return }
            updatedCount += 1
            if isListed { updated.append(objectID) }
        case .unchanged: break
        }
    }

    private mutating func isFirst(_ objectID: ObjectID) -> Bool {
        guard let key = objectID.primaryKey, keys.insert(key).inserted else { return false }
        entityNames.insert(objectID.entityName)
        return true
    }
}

/// The writer of a batch whose rows are inserted, or update the objects with their unique values.
private struct UpsertedRows {
    enum Outcome { case inserted(ObjectID), updated(ObjectID), unchanged }

    private let runtime: EntityRuntime
    private let table: BatchTable
    private let upsert: BatchUpsert
    private let defaults: [StoredValue]
    private let positions: [String: Int]
    /// The positions of columns that the store computes at the end of the transaction.
    private let derivedColumns: Set<Int>

    init(_ runtime: EntityRuntime, _ table: BatchTable, _ upsert: BatchUpsert) {
        self.runtime = runtime
        self.table = table
        self.upsert = upsert
        let entity = runtime.description
        defaults =
            entity.storedAttributes.map(\.defaultValue)
            + Array(repeating: .null, count: table.columns.count - entity.storedAttributes.count)
        positions = Dictionary(uniqueKeysWithValues: table.columns.enumerated().map { ($1, $0) })
        derivedColumns = Set(
            entity.storedAttributes.indices.filter { entity.storedAttributes[$0].derivation != nil })
    }

    func write(_ row: [String: StoredValue], in database: Database) throws -> Outcome {
        let entity = runtime.description
        var values = defaults
        var given: [Int] = []
        for (name, value) in row {
            guard let position = positions[name] else {
                try entity.check(value, forColumn: name)
                throw entity.unknownProperty(name)
            }
            values[position] = entity.attribute(named: name)?.type.normalized(value) ?? value
            try entity.check(values[position], forColumn: name)
            // Derived values are not compared: the store replaces them by its own.
            if !derivedColumns.contains(position) { given.append(position) }
        }
        given.sort()
        let unique = upsert.keyColumns.map { values[$0] }
        if !unique.contains(.null), let match = try upsert.match(unique, given: given) {
            let isChanged = try upsert.update(
                match, given.map { values[$0] }, given: given, runtime: runtime, in: database)
            return isChanged ? .updated(match.objectID) : .unchanged
        }
        if runtime.hasPartners {
            for (name, value) in row where !value.isNull {
                try runtime.requireOneEnd(ofRelationshipNamed: name)
            }
        }
        let key = try table.insert(entity.values(of: row, positions: positions, defaults))
        return .inserted(ObjectID(entityName: entity.name, primaryKey: key))
    }
}
