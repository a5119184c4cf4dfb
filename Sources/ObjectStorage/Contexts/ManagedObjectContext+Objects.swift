import GRDB

extension ManagedObjectContext {
    /// The object of an identity: the one that the context has, or a new one whose values are read when they are needed.
    ///
    /// Whether there is such a row shows when the object is read; see ``existingObject(with:)``.
    ///
    /// - Throws: ``ObjectStorageError``: an entity that the model lacks, or a temporary identity of another context.
    public func object(with objectID: ObjectID) throws(ObjectStorageError) -> ManagedObject {
        let runtime = try requireRuntime(ofEntityNamed: objectID.entityName)
        switch objectID.key {
        case .permanent(let key): return object(forKey: key, runtime: runtime)
        case .temporary:
            if let object = pending.first(where: { $0.objectID == objectID && $0.state == .inserted }) {
                return object
            }
            if let parent, parent.hasUnsaved(objectID) {
                return object(forKey: objectID.unsavedKey, runtime: runtime)
            }
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID) is the temporary identity of an object that this context has not inserted. Save it where it was inserted, and pass its permanent identity.",
                entityName: objectID.entityName, objectID: objectID)
        }
    }

    /// The object of an identity, read from the store.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/objectMissing`` if there is no such row.
    public func existingObject(with objectID: ObjectID) throws(ObjectStorageError) -> ManagedObject {
        let object = try object(with: objectID)
        guard !object.isDeleted else { throw Self.missing(objectID) }
        try object.load()
        return object
    }

    /// The context's object for a row, made if it has none.
    func object(forKey key: Int64, runtime: EntityRuntime) -> ManagedObject {
        if let object = runtime.object(forKey: key) { return object }
        let object = runtime.description.objectType.init(
            ManagedObject.Seed(runtime: runtime, key: identityKey(of: key)))
        runtime.objects[key] = Unmanaged.passUnretained(object)
        return object
    }

    /// Reads the row of a fault.
    func load(_ object: ManagedObject) throws(ObjectStorageError) {
        guard let key = object.rowKey, object.state != .gone else {
            throw Self.missing(object.objectID)
        }
        let runtime = object.runtime
        let row = try read("Reading \(object.objectID)") { database in
            let statement = try SQLiteStatement(Self.rowSQL(runtime), in: database)
            try statement.bind(.integer(key), at: 1)
            return try statement.use { statement in
                guard try statement.step() else { return nil as (page: RowPage, row: Int)? }
                var pages = RowPages(of: runtime, rows: 1)
                return pages.append(statement)
            }
        }
        guard let row else { throw Self.missing(object.objectID) }
        object.take(row)
    }

    /// The objects of some rows, read in one transaction. Rows that are gone give objects that stay faults.
    ///
    /// - Complexity: O(*n* log *m*) for *n* keys in a table of *m* rows.
    func objects(forKeys keys: [Int64], runtime: EntityRuntime) throws(ObjectStorageError) -> [ManagedObject]
    {
        let objects = keys.map { object(forKey: $0, runtime: runtime) }
        guard !keys.isEmpty else { return objects }
        try read("Reading \(keys.count) rows of “\(runtime.description.name)”") { database in
            // One statement for any number of keys, so that it is compiled once.
            let statement = try SQLiteStatement(Self.rowSQL(runtime), in: database)
            var pages = RowPages(of: runtime, rows: keys.count)
            for (key, object) in zip(keys, objects) where object.state == .clean {
                try statement.bind(.integer(key), at: 1)
                try statement.use { if try $0.step() { object.take(pages.append($0)) } }
            }
        }
        return objects
    }

    /// The objects that a to-many relationship of `owner` leads to, unsaved changes included.
    func objects(
        relatedTo owner: ManagedObject, through relationship: RelationshipDescription
    ) throws(ObjectStorageError) -> [ManagedObject] {
        if let end = container.model.linkEnd(of: relationship, in: owner.entity.name) {
            return try objects(linkedTo: owner, at: end, relationshipName: relationship.name)
        }
        let runtime = try requireRuntime(ofEntityNamed: relationship.destinationEntityName)
        guard let inverse = relationship.inverseName, let slot = runtime.slot(ofToOneNamed: inverse) else {
            return []
        }
        let orderSlot = relationship.isOrdered ? runtime.slot(ofOrderOf: inverse) : nil
        var objects: [ManagedObject] = []
        if let key = owner.rowKey {
            let prefetched = owner.currentPrefetch
            let name = PrefetchedRows.RelationshipName(
                entity: owner.entity.name, relationship: relationship.name)
            let known = prefetched?.keys(name, of: key)
            let keys =
                if let known { known } else {
                    try self.keys(of: runtime, whose: inverse, leadsTo: key, orderSlot: orderSlot)
                }
            for related in keys {
                let object = object(forKey: related, runtime: runtime)
                prefetched?.fill(object)
                objects.append(object)
            }
        }
        // A fault leads where its row does, unless it is deleted.
        let changed = pending.filter { $0.runtime === runtime && (!$0.isFault || $0.isDeleted) }
        guard !changed.isEmpty || orderSlot != nil else { return objects }
        let leads = { (object: ManagedObject) in
            !object.isDeleted
                && (object.assignedReferences[slot].map { $0 === owner }
                    ?? (owner.rowKey.map { object.values[slot] == .integer($0) } ?? false))
        }
        objects.removeAll { object in
            object.isDeleted || (object.isPending && !object.isFault && !leads(object))
        }
        let known = Set(objects)
        objects += changed.filter { leads($0) && !known.contains($0) }
        guard let orderSlot else { return objects }
        return Self.sorted(objects, bySlot: orderSlot)
    }

    /// Objects in the order of the positions in a slot; those without one at the end, as they come.
    private static func sorted(_ objects: [ManagedObject], bySlot slot: Int) -> [ManagedObject] {
        let positions = objects.map { object -> Int64? in
            guard object.loadIfNeeded(), case .integer(let position) = object.values[slot] else { return nil }
            return position
        }
        return objects.indices.sorted { first, second in
            switch (positions[first], positions[second]) {
            case (let a?, let b?): (a, first) < (b, second)
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): first < second
            }
        }.map { objects[$0] }
    }

    private func keys(
        of runtime: EntityRuntime, whose inverse: String, leadsTo key: Int64, orderSlot: Int?
    ) throws(ObjectStorageError) -> [Int64] {
        let entity = runtime.description
        let order =
            orderSlot.map { slot in
                let column = entity.columnSQL(runtime.slotNames[slot])
                return "\(column) IS NULL, \(column), "
            } ?? ""
        return try read("Reading what “\(entity.name).\(inverse)” leads to \(key)") { database in
            try database.rows(
                "SELECT \(entity.keySQL) FROM \(entity.tableSQL) WHERE \(entity.columnSQL(inverse)) = ?1 ORDER BY \(order)\(entity.keySQL)",
                [.integer(key)]
            ).compactMap { if case .integer(let key)? = $0.first { key } else { nil } }
        }
    }

    static func missing(_ objectID: ObjectID) -> ObjectStorageError {
        ObjectStorageError(
            .objectMissing,
            "\(objectID) is no longer in the store: it was deleted. Remove it from what you show.",
            entityName: objectID.entityName, objectID: objectID)
    }

    /// The statement that reads the row of a key.
    static func rowSQL(_ runtime: EntityRuntime) -> String {
        let entity = runtime.description
        let columns = runtime.slotNames.reduce(entity.keySQL) { $0 + ", " + entity.columnSQL($1) }
        return "SELECT \(columns) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1"
    }

    /// The values of the current row, whose first column is the key.
    static func row(of statement: SQLiteStatement, _ runtime: EntityRuntime) -> [StoredValue] {
        var values: [StoredValue] = []
        values.reserveCapacity(runtime.slotNames.count)
        for column in 1..<(runtime.slotNames.count + 1) { values.append(statement.value(column)) }
        return runtime.description.normalized(values)
    }
}
