import GRDB

extension ManagedObjectContext {
    /// Inserts an object for each row of a sequence, without creating objects in memory, in one transaction.
    ///
    /// ```swift
    /// let names = lines.lazy.map { ["name": .text($0)] as [String: StoredValue] }
    /// try context.batchInsert(Author.self, rows: names)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The class of the objects.
    ///   - entityName: The entity, if it is not the class's own.
    ///   - rows: The values by the names of attributes and to-one relationships; the value of a relationship
    ///     is the other object's key. A missing attribute has its default. A lazy sequence is consumed row by
    ///     row and need not fit in memory.
    ///   - resultType: The kind of result.
    /// - Throws: ``ObjectStorageError``, with the row's number, if a property does not exist, a value is
    ///   invalid, missing or repeated, or the write fails. Nothing is inserted then.
    /// - Complexity: O(*n* log *m*) for *n* rows in a table of *m* rows.
    @discardableResult
    public func batchInsert<Object: ManagedObject>(
        _ type: Object.Type, entityName: String? = nil, rows: some Sequence<[String: StoredValue]>,
        resultType: BatchResultType = .count
    ) throws(ObjectStorageError) -> BatchResult {
        let runtime = try requireRuntime(ofEntityNamed: entityName ?? type.entityName)
        let entity = runtime.description
        let columns = entity.columnPropertyNames
        let defaults =
            entity.storedAttributes.map(\.defaultValue)
            + Array(repeating: .null, count: columns.count - entity.storedAttributes.count)
        let positions = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) })
        var count = 0
        var objectIDs: [ObjectID] = []
        let (_, tables) = try container.commit("Inserting into “\(entity.name)”") { database in
            let reachedRows = ReachedRowsOfBatch(of: container.model)
            let table = try BatchTable(
                entity: entity, of: container, expectedRows: rows.underestimatedCount,
                reachedRows: reachedRows, in: database)
            for row in rows {
                do throws(ObjectStorageError) {
                    if runtime.hasPartners {
                        for (name, value) in row where !value.isNull {
                            try runtime.requireOneEnd(ofRelationshipNamed: name)
                        }
                    }
                    let key = try table.insert(entity.values(of: row, positions: positions, defaults))
                    count += 1
                    if resultType == .objectIDs {
                        objectIDs.append(ObjectID(entityName: entity.name, primaryKey: key))
                    }
                } catch {
                    throw error.replacing(
                        message: "Row \(count + 1): \(error.message) Nothing was inserted.",
                        entityName: entity.name)
                }
            }
            try reachedRows?.check(in: database)
        }
        var changes = StoreChanges(insertedObjectIDs: Set(objectIDs))
        if resultType == .count, count > 0 { changes.changedEntityNames = [entity.name] }
        return publish(count: count, objectIDs: objectIDs, changes: changes, tables: tables)
    }
}

extension EntityDescription {
    /// Returns the values of a row in the order of the columns.
    func values(
        of row: [String: StoredValue], positions: [String: Int], _ defaults: [StoredValue]
    ) throws(ObjectStorageError) -> [StoredValue] {
        var values = defaults
        for (name, value) in row {
            guard let position = positions[name] else {
                try check(value, forColumn: name)
                throw unknownProperty(name)
            }
            values[position] = attribute(named: name)?.type.normalized(value) ?? value
        }
        for (position, relationship) in toOneRelationships.enumerated() {
            try check(values[storedAttributes.count + position], forColumn: relationship.name)
        }
        return values
    }
}
