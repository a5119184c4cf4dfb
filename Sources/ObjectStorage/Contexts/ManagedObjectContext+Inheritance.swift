// If the requested entity has sub-entities, the entity of a row is known only after the row is read.

extension ManagedObjectContext {
    /// Returns the values of the current row, and the runtime of its entity; nil for a row that is not of the
    /// runtime's entity or a sub-entity.
    ///
    /// - Parameter statement: A statement that selects ``rowColumns(_:)``.
    func row(
        of statement: SQLiteStatement, _ runtime: EntityRuntime
    ) -> (runtime: EntityRuntime, values: [StoredValue])? {
        guard let family = runtime.family else { return (runtime, Self.row(of: statement, runtime)) }
        guard let row = family.row(of: statement), let concrete = self.runtime(ofEntityNamed: row.entityName)
        else { return nil }
        return (concrete, row.values)
    }

    /// Returns the SQL list of an entity's key and columns; with sub-entities, it includes their columns and
    /// the name of the row's entity.
    static func rowColumns(_ runtime: EntityRuntime) -> String {
        let entity = runtime.description
        guard let family = runtime.family, let entityName = entity.concreteEntityNameSQL() else {
            return runtime.slotNames.reduce(entity.keySQL) { $0 + ", " + entity.columnSQL($1) }
        }
        return family.columns.reduce("\(entity.keySQL), \(entityName)") { $0 + ", " + $1 }
    }

    /// Returns the runtime of the entity named in a row of ``EntityDescription/identityColumns(_:)``.
    func runtime(of row: [StoredValue], _ runtime: EntityRuntime) -> EntityRuntime {
        guard row.count > 1, case .text(let name) = row[1] else { return runtime }
        return self.runtime(ofEntityNamed: name) ?? runtime
    }

    /// Returns the context's object for a row that is known to be of exactly this entity; creates a fault if
    /// there is none.
    ///
    /// If the context has an object of another entity for the key, that object's row was deleted.
    func object(forKey key: Int64, ofJust runtime: EntityRuntime) -> ManagedObject {
        if let object = runtime.registry.object(forKey: key) {
            if object.runtime === runtime { return object }
            if object.state == .clean { remove(object) }
        }
        let object = make(key, runtime)
        runtime.registry.register(object, key: key)
        return object
    }

    /// Returns the object that a relationship's key leads to. If the entity has sub-entities and the object
    /// is not in memory, its row is read; if there is no row, the result is a fault of the entity itself.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    func object(
        ledToBy key: Int64, _ runtime: EntityRuntime, prefetched: PrefetchedRows? = nil
    ) throws(ObjectStorageError) -> ManagedObject {
        if let object = runtime.object(forKey: key) { return object }
        guard runtime.family != nil else { return object(forKey: key, runtime: runtime) }
        if let row = prefetched?.row(runtime.registry.tableName, key),
            let concrete = self.runtime(ofEntityNamed: row.entityName)
        {
            return object(forKey: key, ofJust: concrete)
        }
        return try objects(forKeys: [key], runtime: runtime)[0]
    }

    /// Returns the object of the context with an identity, if it is in memory.
    func liveObject(with objectID: ObjectID) -> ManagedObject? {
        guard let key = objectID.primaryKey,
            let runtime = runtimes.first(where: {
                $0.description.sharesTable(withEntityNamed: objectID.entityName)
            })
        else { return nil }
        return runtime.registry.object(forKey: key)
    }

    /// Returns the error that explains why an object has no row.
    func missing(_ object: ManagedObject) -> ObjectStorageError {
        let entity = object.entity
        let missing = Self.missing(object.objectID)
        guard let entityColumn = entity.concreteEntitySQL, let key = object.rowKey else { return missing }
        let row: [[StoredValue]]
        do throws(ObjectStorageError) {
            row = try read("Reading \(object.objectID)") {
                try $0.rows(
                    "SELECT \(entityColumn) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1",
                    [.integer(key)])
            }
        } catch {
            return error
        }
        guard let value = row.first?.first else { return missing }
        if let name = entity.entityName(ofColumn: value), container.model.entity(named: name) != nil {
            return ObjectStorageError(
                .objectMissing,
                "\(object.objectID) is no longer in the store: its row is now of entity “\(name)”. Fetch it again.",
                entityName: entity.name, objectID: object.objectID)
        }
        return ObjectStorageError(
            .unknownEntity,
            "The row of \(object.objectID) names the entity \(value), which the model does not contain. A newer version of the program or another program wrote it; use a model with that entity, or correct the row.",
            entityName: entity.name, objectID: object.objectID)
    }
}
