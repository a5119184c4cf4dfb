extension ManagedObjectContext {
    /// Fetches the identities of a request's objects, in order, without reading the objects.
    ///
    /// - Throws: As ``fetch(_:)``.
    /// - Complexity: that of SQLite's query.
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

    /// Fetches chosen values of a request's objects as dictionaries, without making objects.
    ///
    /// ```swift
    /// let years = try context.fetchDictionaries(
    ///     FetchRequest<Work>(sortDescriptors: [.ascending(\.genre)]),
    ///     properties: ["genre", .aggregate(.max(\.year), as: "latest")], groupedBy: ["genre"], having: .count > 1)
    /// ```
    ///
    /// - Parameters:
    ///   - request: Which objects. Its limit and offset count rows of the result: groups, where there are
    ///     groups.
    ///   - properties: What a dictionary holds; everything that is a column if empty. A to-one relationship's
    ///     value is the other object's key; an unsaved object's is the one that it would get by a save now.
    ///   - distinct: Whether equal dictionaries are one. Then the request can be sorted only by what they
    ///     hold.
    ///   - groups: What to group by; each group is one dictionary. The request can be sorted only by these.
    ///   - condition: Which groups.
    /// - Returns: The dictionaries by ``FetchedProperty/name``. A missing value is ``StoredValue/null``.
    /// - Throws: As ``fetch(_:)``, and ``ObjectStorageError/Code/invalidRequest`` for columns that do not go
    ///   together.
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
                "Two properties of the result have the same name: \(names.joined(separator: ", ")).",
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

    /// Fetches the different values that an attribute has among a request's objects, in ascending order
    /// unless the request has an order.
    ///
    /// - Throws: As ``fetch(_:)``, and ``ObjectStorageError/Code/invalidValue`` for a value that is none of
    ///   the type.
    public func fetchDistinctValues<Object: ManagedObject, Value: AttributeValue>(
        of keyPath: KeyPath<Object, Value>, in request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> [Value] {
        let path = KeyExpression.path(keyPath)
        let rows = try fetchRows(request, ValueColumns(columns: [.value(path)], isDistinct: true))
        var values: [Value] = []
        for row in rows { values.append(try Self.value(row[0], path, request.entityName)) }
        return values
    }

    /// Computes one value from all objects of a request.
    ///
    /// ```swift
    /// let pages = try context.aggregate(.sum(\.pages), of: request, as: Int.self)
    /// ```
    ///
    /// - Throws: As ``fetch(_:)``, and ``ObjectStorageError/Code/invalidValue`` if the value is none of the
    ///   type.
    public func aggregate<Object: ManagedObject, Value: AttributeValue>(
        _ aggregate: Aggregate<Object>, of request: FetchRequest<Object>, as type: Value.Type
    ) throws(ObjectStorageError) -> Value? {
        let value = try self.aggregate(aggregate, of: request)
        guard !value.isNull else { return nil }
        let expression = aggregate.term.expression ?? KeyExpression.path(aggregate.term.function.rawValue)
        return try Self.value(value, expression, request.entityName) as Value
    }

    /// Computes one value from all objects of a request: from those within its limit and offset, if it has
    /// them.
    ///
    /// - Throws: As ``fetch(_:)``.
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
            .invalidValue, "“\(entityName).\(expression)”: \(stored) is no \(Value.self).",
            entityName: entityName, propertyName: expression.path)
    }
}

extension SQLiteStatement {
    /// The name of the entity of the current row, which is the second column where there are several.
    fileprivate func entityName(in runtime: EntityRuntime) -> String {
        let name = runtime.description.name
        guard runtime.family != nil else { return name }
        return value(1).text ?? name
    }
}
