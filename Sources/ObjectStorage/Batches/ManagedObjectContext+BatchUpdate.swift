import GRDB

extension ManagedObjectContext {
    /// Sets properties of all objects of a request to the same values, without reading the objects, in one
    /// statement.
    ///
    /// ```swift
    /// try context.batchUpdate(FetchRequest<Work>(predicate: \.year < 1900), set: [.set(\.isRead, to: true)])
    /// ```
    ///
    /// The update applies to the store: unsaved changes are not included, and are kept. Objects of this
    /// context show the new values immediately; an unsaved change of the same property is a conflict, which
    /// the object's save resolves.
    ///
    /// - Parameters:
    ///   - request: The request that selects the objects. Its limit and offset apply, in its order.
    ///   - assignments: The properties and their values.
    ///   - resultType: The kind of result.
    /// - Throws: ``ObjectStorageError`` if the request does not fit the model, a value is not valid for its
    ///   property, a value of a unique attribute is repeated, an object would have too few or too many
    ///   related objects, or the write fails. Nothing is updated then.
    /// - Complexity: That of SQLite's statement.
    @discardableResult
    public func batchUpdate<Object: ManagedObject>(
        _ request: FetchRequest<Object>, set assignments: [PropertyAssignment<Object>],
        resultType: BatchResultType = .count
    ) throws(ObjectStorageError) -> BatchResult {
        let runtime = try runtime(for: request)
        let entity = runtime.description
        guard !assignments.isEmpty else {
            throw ObjectStorageError(
                .invalidRequest,
                "A batch update of “\(entity.name)” sets no property. Pass at least one assignment.",
                entityName: entity.name)
        }
        let compiled = try container.compile(request.description, columns: .keys)
        var values = compiled.arguments
        var terms: [String] = []
        for assignment in assignments {
            try runtime.requireOneEnd(ofRelationshipNamed: assignment.name)
            let value = try assignment.columnValue(in: entity, of: container.model)
            let form = entity.existingTable?.forms[assignment.name]
            values.append(form?.column(ofValue: value) ?? value)
            terms.append("\(entity.columnSQL(assignment.name)) = ?\(values.count)")
            // An object that is linked to another object goes to the end of that object's list.
            if entity.orderedToOneNames.contains(assignment.name) {
                let column = EntityDescription.orderColumnName(ofToOneNamed: assignment.name)
                terms.append("\(column.quotedIdentifier) = NULL")
            }
        }
        let sql =
            "UPDATE \(entity.tableSQL) SET \(terms.joined(separator: ", ")) WHERE \(entity.keySQL) IN (\(compiled.sql))"
        var (objectIDs, touched) = ([ObjectID](), [ManagedObject]?.none)
        let (count, tables) = try container.commit("Updating “\(entity.name)”") { database in
            var reachedRows = container.reachedRows
            for assignment in assignments where entity.relationship(named: assignment.name) != nil {
                try reachedRows.noteDestinations(
                    by: assignment.name, of: entity, compiled.sql, compiled.arguments, in: database)
                reachedRows.noteDestination(
                    try assignment.columnValue(in: entity, of: container.model), by: assignment.name,
                    of: entity)
            }
            let count: Int
            if resultType == .count, !runtime.registry.isEmpty {
                let effects = try SideEffectDetector(isTracked: container.isTracked, in: database)
                let result = try database.update(sql, values, entity, runtime.registry)
                touched = try effects.exceed(result.count, in: database) ? nil : result.touched
                count = result.count
            } else {
                let result = try database.runBatch(sql, values, entity, resultType)
                objectIDs = result.objectIDs
                count = result.count
            }
            try reachedRows.check(in: database, "Nothing was updated.")
            return count
        }
        var changes = StoreChanges(updatedObjectIDs: Set(objectIDs))
        if resultType == .count, count > 0 { changes.changedEntityNames = Set(entity.familyNames) }
        if tables.areOfOneTable, !container.model.hasExistingTables, container.derivedAttributes == nil {
            changes.updatedProperties = Set(assignments.map(\.name))
        }
        return publish(
            count: count, objectIDs: objectIDs, changes: changes, tables: tables, rereading: touched)
    }
}

extension Database {
    /// Runs a statement that updates or deletes rows of an entity, and returns their number or identities.
    func runBatch(
        _ sql: String, _ values: [StoredValue], _ entity: EntityDescription, _ resultType: BatchResultType
    ) throws -> (count: Int, objectIDs: [ObjectID]) {
        guard resultType == .objectIDs else {
            try run(sql, values)
            return (changesCount, [])
        }
        let objectIDs = try rows(
            sql + " RETURNING " + entity.identityColumns(), values
        ).compactMap { ObjectID($0, of: entity) }
        return (objectIDs.count, objectIDs)
    }

    /// Runs a statement that updates rows of an entity, and returns their number and the objects in memory
    /// among them.
    fileprivate func update(
        _ sql: String, _ values: [StoredValue], _ entity: EntityDescription, _ registry: ObjectRegistry
    ) throws -> (count: Int, touched: [ManagedObject]) {
        let statement = try SQLiteStatement("\(sql) RETURNING \(entity.keySQL)", in: self)
        try statement.bind(values)
        return try statement.use { statement in
            var count = 0
            var touched: [ManagedObject] = []
            while try statement.step() {
                count += 1
                if let object = registry.object(forKey: statement.integer(0)) { touched.append(object) }
            }
            return (count, touched)
        }
    }
}
