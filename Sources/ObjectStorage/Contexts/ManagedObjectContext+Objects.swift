import GRDB

extension ManagedObjectContext {
    /// Returns the context's object for an identity, or a new fault, whose values are read on access.
    ///
    /// Whether the row exists is known only after the object is read; see ``existingObject(with:)``. If the
    /// identity names an entity from which the object's entity inherits, the row is read to find the object's
    /// entity. The temporary identity that an object had before its save is valid as well.
    ///
    /// - Parameter objectID: The identity of an object in the context's store.
    /// - Throws: ``ObjectStorageError`` if the model does not have the entity, the identity is a temporary
    ///   one of an object that another context has not saved yet, or the store cannot be read.
    public func object(with objectID: ObjectID) throws(ObjectStorageError) -> ManagedObject {
        let runtime = try requireRuntime(ofEntityNamed: objectID.entityName)
        switch objectID.key {
        case .permanent(let key): return try object(ledToBy: key, runtime)
        case .temporary:
            if let object = unsavedObject(objectID.key),
                object.entity.isKind(ofEntityNamed: objectID.entityName)
            {
                return object
            }
            if let parent, parent.hasUnsaved(objectID) {
                return try object(ledToBy: objectID.unsavedKey, runtime)
            }
            // The object was saved since then.
            if let key = objectID.primaryKey { return try object(ledToBy: key, runtime) }
            throw ObjectStorageError(
                .wrongContext,
                "\(objectID) is the temporary identity of an object that this context has not inserted. Save it where it was inserted, and pass its permanent identity.",
                entityName: objectID.entityName, objectID: objectID)
        }
    }

    /// Returns the context's object for an identity, and reads its row.
    ///
    /// - Parameter objectID: The identity of an object in the context's store.
    /// - Throws: As ``object(with:)``, and ``ObjectStorageError/Code/objectMissing`` if there is no such row
    ///   or the object is deleted.
    /// - Complexity: O(1), plus reading the row if it was not read yet.
    public func existingObject(with objectID: ObjectID) throws(ObjectStorageError) -> ManagedObject {
        let object = try object(with: objectID)
        guard !object.isDeleted else { throw Self.missing(objectID) }
        try object.load()
        return object
    }

    /// Returns the context's object for a row of an entity or a sub-entity; creates a fault of the entity
    /// itself if there is none.
    func object(forKey key: Int64, runtime: EntityRuntime) -> ManagedObject {
        if let object = runtime.object(forKey: key) { return object }
        let object = make(key, runtime)
        if runtime.registry.object(forKey: key) == nil {
            runtime.registry.register(object, key: key)
        } else {
            // The row is of another entity, so this object has no row.
            object.state = .gone
        }
        return object
    }

    /// Returns an object without a row, in place of one that cannot be determined; its `readError` is the
    /// given error.
    ///
    /// - Throws: ``ObjectStorageError`` if there is no such entity.
    package func lostObject(
        ofEntityNamed name: String, because error: ObjectStorageError
    ) throws(ObjectStorageError) -> ManagedObject {
        lostObject(try requireRuntime(ofEntityNamed: name), because: error)
    }

    /// Returns an object without a row, in place of one that cannot be determined; its `readError` is the
    /// given error.
    func lostObject(_ runtime: EntityRuntime, because error: ObjectStorageError) -> ManagedObject {
        let object = make(.min, runtime)
        object.state = .gone
        object.readError = error
        return object
    }

    /// Creates a fault.
    func make(_ key: Int64, _ runtime: EntityRuntime) -> ManagedObject {
        runtime.objectType.init(
            ManagedObject.Seed(runtime: runtime, key: identityKey(of: key)))
    }

    /// Reads the row of a fault.
    func load(_ object: ManagedObject) throws(ObjectStorageError) {
        guard let key = object.rowKey, object.state != .gone else {
            // An object that has no row keeps its read error.
            if let reason = object.readError { throw reason }
            throw missing(object)
        }
        let runtime = object.runtime
        let row = try read("Reading \(object.objectID)") { database in
            let statement = try SQLiteStatement(runtime.statements.selection, in: database)
            try statement.bind(.integer(key), at: 1)
            return try statement.use { statement in
                guard try statement.step() else { return nil as (page: RowPage, row: Int)? }
                var pages = RowPages(of: runtime, rows: 1)
                return pages.append(statement)
            }
        }
        guard let row else { throw missing(object) }
        object.take(row)
    }

    /// Returns the objects of some rows, read in one transaction. An object whose row does not exist remains
    /// a fault.
    ///
    /// - Complexity: O(*n* log *m*) for *n* keys in a table of *m* rows.
    func objects(forKeys keys: [Int64], runtime: EntityRuntime) throws(ObjectStorageError) -> [ManagedObject]
    {
        guard !keys.isEmpty else { return [] }
        guard runtime.family == nil else { return try familyObjects(forKeys: keys, runtime) }
        let objects = keys.map { object(forKey: $0, runtime: runtime) }
        try read("Reading \(keys.count) rows of “\(runtime.description.name)”") { database in
            // One statement for any number of keys, so that it is compiled once.
            let statement = try SQLiteStatement(runtime.statements.selection, in: database)
            var pages = RowPages(of: runtime, rows: keys.count)
            for (key, object) in zip(keys, objects) where object.state == .clean {
                try statement.bind(.integer(key), at: 1)
                try statement.use { if try $0.step() { object.take(pages.append($0)) } }
            }
        }
        return objects
    }

    /// Returns the objects of some rows of an entity with sub-entities, read in one transaction.
    private func familyObjects(
        forKeys keys: [Int64], _ runtime: EntityRuntime
    ) throws(ObjectStorageError) -> [ManagedObject] {
        let entity = runtime.description
        let rows = try read("Reading \(keys.count) rows of “\(entity.name)”") { database in
            let statement = try SQLiteStatement(
                "SELECT \(Self.rowColumns(runtime)) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1",
                in: database)
            return try keys.map { key in
                try statement.bind(.integer(key), at: 1)
                return try statement.use { try $0.step() ? row(of: $0, runtime) : nil }
            }
        }
        return zip(keys, rows).map { key, row in
            guard let row else { return object(forKey: key, runtime: runtime) }
            let object = object(forKey: key, ofJust: row.runtime)
            object.take(row.values)
            return object
        }
    }

    /// Returns the objects that a to-many relationship of `owner` leads to, including unsaved changes.
    func objects(
        relatedTo owner: ManagedObject, through relationship: RelationshipDescription
    ) throws(ObjectStorageError) -> [ManagedObject] {
        if let end = container.model.linkEnd(of: relationship, in: owner.entity) {
            return try objects(linkedTo: owner, at: end, relationshipName: relationship.name)
        }
        let runtime = try requireRuntime(ofEntityNamed: relationship.destinationEntityName)
        guard let inverse = relationship.inverseName, let slot = runtime.slot(ofToOneNamed: inverse) else {
            return []
        }
        var objects: [ManagedObject] = []
        if let key = owner.rowKey {
            let prefetched = owner.currentPrefetch
            let name = PrefetchedRows.RelationshipName(
                entity: owner.entity.declaringEntityName(ofRelationshipNamed: relationship.name),
                relationship: relationship.name)
            if let keys = prefetched?.keys(name, of: key) {
                for related in keys {
                    let object = try object(ledToBy: related, runtime, prefetched: prefetched)
                    prefetched?.fill(object)
                    objects.append(object)
                }
            } else {
                let rows = try self.rows(
                    of: runtime, whose: inverse, leadsTo: key, isOrdered: relationship.isOrdered)
                for (related, concrete) in rows {
                    let object = object(forKey: related, ofJust: concrete)
                    prefetched?.fill(object)
                    objects.append(object)
                }
            }
        }
        guard !pending.isEmpty || relationship.isOrdered else { return objects }
        // A fault has the relationships of its row, unless it is deleted.
        objects.removeAll { object in
            // The slot differs between sub-entities.
            let slot = object.runtime === runtime ? slot : object.runtime.slot(ofToOneNamed: inverse) ?? slot
            return object.isDeleted
                || (object.isPending && !object.isFault && !object.leads(to: owner, slot: slot))
        }
        let known = Set(objects)
        let newMembers = pendingObjects(of: runtime, leadingTo: owner, by: inverse).filter {
            !known.contains($0)
        }
        guard relationship.isOrdered else { return objects + newMembers }
        return sorted(objects, newMembers, of: owner, through: relationship.name, byOrderOf: inverse)
    }

    /// Sorts objects by their positions in the ordered inverse of a to-one relationship. Objects without a
    /// position are at the end: first those that a save leaves without one, by key, then those to which the
    /// save will assign a position, in the order of their arrival.
    private func sorted(
        _ present: [ManagedObject], _ newMembers: [ManagedObject], of owner: ManagedObject,
        through relationshipName: String, byOrderOf name: String
    ) -> [ManagedObject] {
        let objects = present + newMembers
        let positions = objects.map { $0.position(inOrderOf: name) }
        let numberByKeys =
            hasUnpositionedMembers(in: owner, through: relationshipName) ? present.count : objects.count
        return objects.indices.sorted { first, second in
            switch (positions[first], positions[second]) {
            case (let a?, let b?): (a, first) < (b, second)
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil) where max(first, second) < numberByKeys:
                objects[first].identityKey.unsavedKey < objects[second].identityKey.unsavedKey
            case (nil, nil): first < second
            }
        }.map { objects[$0] }
    }

    private func rows(
        of runtime: EntityRuntime, whose inverse: String, leadsTo key: Int64, isOrdered: Bool
    ) throws(ObjectStorageError) -> [(key: Int64, runtime: EntityRuntime)] {
        let entity = runtime.description
        var order = ""
        if isOrdered {
            let column = entity.columnSQL(EntityDescription.orderColumnName(ofToOneNamed: inverse))
            order = "\(column) IS NULL, \(column), "
        }
        let condition = entity.concreteEntityCondition().map { " AND " + $0 } ?? ""
        let rows = try read(
            "Reading the objects whose “\(entity.name).\(inverse)” leads to \(key)"
        ) { database in
            try database.rows(
                "SELECT \(entity.identityColumns()) FROM \(entity.tableSQL) WHERE \(entity.columnSQL(inverse)) = ?1\(condition) ORDER BY \(order)\(entity.keySQL)",
                [.integer(key)])
        }
        return rows.compactMap { row in
            guard case .integer(let key)? = row.first else { return nil }
            return (key, self.runtime(of: row, runtime))
        }
    }

    static func missing(_ objectID: ObjectID) -> ObjectStorageError {
        ObjectStorageError(
            .objectMissing,
            "\(objectID) is no longer in the store: it was deleted. Remove it from the displayed results.",
            entityName: objectID.entityName, objectID: objectID)
    }

    /// Returns the values of the current row, whose first column is the key.
    static func row(of statement: SQLiteStatement, _ runtime: EntityRuntime) -> [StoredValue] {
        var values: [StoredValue] = []
        values.reserveCapacity(runtime.slotNames.count)
        for column in 1..<(runtime.slotNames.count + 1) { values.append(statement.value(column)) }
        return runtime.description.normalized(values)
    }
}
