extension ManagedObjectContext {
    /// Fetches the identities of a request's objects, in order, without reading their rows.
    ///
    /// - Parameter request: The objects, and their order.
    /// - Throws: As ``fetch(_:)``.
    /// - Complexity: That of SQLite's query.
    public func fetchIDs<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> [ObjectID] {
        let runtime = try runtime(for: request)
        return try withSnapshot(
            of: request.description, columns: .identities,
            includingPendingChanges: request.includesPendingChanges
        ) { snapshot in
            try snapshot.statement().use { statement in
                var objectIDs: [ObjectID] = []
                while try statement.step() {
                    let key = statement.integer(0)
                    objectIDs.append(
                        snapshot.provisionalObjects[key]?.objectID
                            ?? self.objectID(ofKey: key, entityName: statement.entityName(in: runtime)))
                }
                return objectIDs
            }
        }
    }

    /// Fetches selected values of a request's objects as dictionaries, without creating objects.
    ///
    /// ```swift
    /// let years = try context.fetchDictionaries(
    ///     FetchRequest<Work>(sortDescriptors: [.ascending(\.genre)]),
    ///     properties: ["genre", .aggregate(.max(\.year), as: "latest")], groupedBy: ["genre"], having:
    ///     .count > 1)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request that selects the objects. Its limit and offset apply to rows of the result:
    ///     to groups, if there are groups.
    ///   - properties: The entries of each dictionary; all columns if empty. The value of a to-one
    ///     relationship is the key of the other object; for an unsaved object, it is the key that a save
    ///     would assign now.
    ///   - distinct: Whether equal dictionaries are combined. If so, the request can be sorted only by the
    ///     selected values.
    ///   - groups: The values to group by; each group is one dictionary. The request can be sorted only by
    ///     these values.
    ///   - condition: The condition that groups must satisfy.
    /// - Returns: The dictionaries by ``FetchedProperty/name``. A missing value is ``StoredValue/null``.
    /// - Throws: As ``fetch(_:)``, and ``ObjectStorageError/Code/invalidRequest`` for columns that cannot be
    ///   combined.
    /// - Complexity: That of SQLite's query.
    public func fetchDictionaries<Object: ManagedObject>(
        _ request: FetchRequest<Object>, properties: [FetchedProperty<Object>] = [], distinct: Bool = false,
        groupedBy groups: [KeyExpression] = [], having condition: GroupCondition<Object>? = nil
    ) throws(ObjectStorageError) -> [[String: StoredValue]] {
        let entity = try runtime(for: request).description
        let properties =
            properties.isEmpty
            ? entity.columnPropertyNames.map { FetchedProperty<Object>(stringLiteral: $0) } : properties
        let names = properties.map(\.name)
        guard Set(names).count == names.count else {
            throw ObjectStorageError(
                .invalidRequest,
                "Two properties of the result have the same name: \(names.joined(separator: ", ")). Pass another name to one of them.",
                entityName: entity.name)
        }
        var values = ValueColumns(columns: properties.map(\.column), isDistinct: distinct, groups: groups)
        values.condition = condition.map {
            ValueColumns.Condition(aggregate: $0.aggregate, symbol: $0.symbol, value: $0.value)
        }
        return try fetchRows(request, values).map { row in
            Dictionary(uniqueKeysWithValues: zip(names, row))
        }
    }

    /// Fetches the distinct values of an attribute among a request's objects, in ascending order unless the
    /// request has sort descriptors.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute, through declared properties. One that computes a value
    ///     traps.
    ///   - request: The request that selects the objects. It can be sorted only by the attribute, and its
    ///     limit and offset apply to the distinct values.
    /// - Throws: As ``fetch(_:)``, and ``ObjectStorageError/Code/invalidValue`` if a stored value is not
    ///   valid for the type.
    /// - Complexity: That of SQLite's query.
    public func fetchDistinctValues<Object: ManagedObject, Value: AttributeValue>(
        of keyPath: KeyPath<Object, Value>, in request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> [Value] {
        let path = KeyExpression.path(keyPath)
        let rows = try fetchRows(request, ValueColumns(columns: [.value(path)], isDistinct: true))
        var values: [Value] = []
        for row in rows { values.append(try Self.value(row[0], path, request.entityName)) }
        return values
    }

    /// Computes one value from all objects of a request, or from those within its limit and offset.
    ///
    /// ```swift
    /// let pages = try context.aggregate(.sum(\.pages), of: request, as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - aggregate: The function and the value to which it applies.
    ///   - request: The request that selects the objects.
    ///   - type: The type of the result.
    /// - Returns: The value. If no object has a value to aggregate, a count is 0 and any other aggregate is
    ///   nil.
    /// - Throws: As ``fetch(_:)``, and ``ObjectStorageError/Code/invalidValue`` if the value is not valid for
    ///   the type.
    /// - Complexity: That of SQLite's query.
    public func aggregate<Object: ManagedObject, Value: AttributeValue>(
        _ aggregate: Aggregate<Object>, of request: FetchRequest<Object>, as type: Value.Type
    ) throws(ObjectStorageError) -> Value? {
        let value = try self.aggregate(aggregate, of: request)
        guard !value.isNull else { return nil }
        let expression = aggregate.term.expression ?? KeyExpression.path(aggregate.term.function.rawValue)
        return try Self.value(value, expression, request.entityName) as Value
    }

    /// Computes one value from all objects of a request, or from those within its limit and offset.
    ///
    /// - Parameters:
    ///   - aggregate: The function and the value to which it applies.
    ///   - request: The request that selects the objects.
    /// - Returns: The value. If no object has a value to aggregate, a count is 0 and any other aggregate is
    ///   null.
    /// - Throws: As ``fetch(_:)``.
    /// - Complexity: That of SQLite's query.
    public func aggregate<Object: ManagedObject>(
        _ aggregate: Aggregate<Object>, of request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> StoredValue {
        try fetchRows(request, ValueColumns(columns: [.aggregate(aggregate.term)])).first?.first ?? .null
    }

    private func fetchRows<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ values: ValueColumns
    ) throws(ObjectStorageError) -> [[StoredValue]] {
        _ = try runtime(for: request)
        return try withSnapshot(
            of: request.description, columns: .values(values),
            includingPendingChanges: request.includesPendingChanges
        ) { snapshot in
            try snapshot.statement().use { statement in
                var rows: [[StoredValue]] = []
                while try statement.step() {
                    rows.append((0..<statement.columnCount).map(statement.value))
                }
                return rows
            }
        }
    }

    private static func value<Value: AttributeValue>(
        _ stored: StoredValue, _ expression: KeyExpression, _ entityName: String
    ) throws(ObjectStorageError) -> Value {
        if let value = Value(storedValue: stored) { return value }
        throw ObjectStorageError(
            .invalidValue, "“\(entityName).\(expression)”: \(stored) is not a valid \(Value.self).",
            entityName: entityName, propertyName: expression.path)
    }
}

extension SQLiteStatement {
    /// Returns the name of the current row's entity: the second column, if the request's entity has
    /// sub-entities.
    fileprivate func entityName(in runtime: EntityRuntime) -> String {
        let name = runtime.description.name
        guard runtime.family != nil else { return name }
        return value(1).text ?? name
    }
}
