/// A row that a request selects: its sort key, and the group that it belongs to.
package struct SnapshotRow {
    /// The sort key of the row.
    package let sortKey: SortKey
    /// The group of the row; nil if no group was requested.
    package let group: StoreSnapshot.GroupStart?
}

extension StoreSnapshot {
    /// Returns the keys of a table's rows that represent unsaved objects of the request's entity.
    package func keysOfUnsavedRows(inTableNamed name: String) -> Set<Int64> {
        guard list?.union != nil else { return Set(provisionalObjects.keys) }
        return Set(
            provisionalObjects.lazy.filter { $1.entity.tableName == name }.map {
                EntityUnion.rowKey(of: $0.key)
            })
    }

    /// The entity of the request.
    var list: EntityDescription? { model.list(named: request.entityName) }

    /// Compiles statements that read some of the request's rows by key.
    package func rowsByKey(
        groupedBy group: KeyExpression?, namedBy name: KeyExpression?
    ) throws(ObjectStorageError) -> CompiledRows {
        try RequestCompiler.compileRows(
            of: request, groupedBy: group, namedBy: name, model: model, provisionalKeys: provisionalKeys)
    }

    /// Returns the rows with the given keys that the request selects, in its order, regardless of its limit
    /// and offset.
    ///
    /// - Parameter keys: The keys, without duplicates.
    /// - Complexity: O(*k* log *n*) for *k* keys in a table of *n* rows.
    package func rows(withKeys keys: [Int64], _ compiled: CompiledRows) throws -> [SnapshotRow] {
        guard !keys.isEmpty else { return [] }
        let statement = try SQLiteStatement(compiled.matchingSQL, in: database)
        try statement.bind(compiled.arguments)
        try statement.bind(Self.list(keys), at: compiled.keysParameter)
        let numberOfTerms = compiled.order.count
        let limits = StatementBudget.limits(of: database.connection)
        return try statement.use { statement in
            var rows: [SnapshotRow] = []
            while try statement.step() {
                let sortKey = compiled.order.sortKey(statement)
                guard compiled.hasGroup else {
                    rows.append(SnapshotRow(sortKey: sortKey, group: nil))
                    continue
                }
                try limits?.checkSection(statement, columns: numberOfTerms + 1..<statement.columnCount)
                var value = RawColumnValue()
                value.take(from: statement, column: numberOfTerms + 1)
                let group = GroupStart(
                    identity: value.identity, key: statement.value(numberOfTerms + 1),
                    name: compiled.hasName ? statement.value(numberOfTerms + 2) : nil, firstKey: sortKey.key)
                rows.append(SnapshotRow(sortKey: sortKey, group: group))
            }
            return rows
        }
    }

    /// Returns a reader of rows' sort keys.
    package func sortKeyReader(_ compiled: CompiledRows) -> SortKeyReader {
        SortKeyReader(compiled, in: database)
    }

    /// Returns the keys of the rows of the request's table from which relationships of any form lead to
    /// objects.
    ///
    /// - Parameters:
    ///   - keys: The keys of the objects.
    ///   - path: The names of the relationships.
    ///   - maximum: The number of rows after which the search ends; by default all are found.
    /// - Complexity: O(*k* log *n*) for *k* keys and rows found, through the indexes of references.
    package func keys(
        leadingTo keys: Set<Int64>, through path: some Sequence<String>, atMost maximum: Int = .max
    ) throws -> Set<Int64> {
        let path = Array(path)
        guard !keys.isEmpty, !path.isEmpty else { return keys }
        let sql = try RequestCompiler.compileRows(
            ofEntityNamed: request.entityName, leadingThrough: path, model: model)
        let statement = try SQLiteStatement(sql, in: database)
        try statement.bind(Self.list(Array(keys)), at: 1)
        return try statement.use { statement in
            var found: Set<Int64> = []
            while found.count < maximum, try statement.step() {
                if case .integer(let key) = statement.value(0) { found.insert(key) }
            }
            return found
        }
    }

    /// Returns the keys of the objects to which relationships of any form lead from rows of the request's
    /// table, in ascending order; none for a row that leads to no object.
    ///
    /// - Parameters:
    ///   - owners: The keys of the rows.
    ///   - path: The names of the relationships.
    /// - Complexity: O(*k* log *n*) for *k* owners and objects found.
    package func members(of owners: Set<Int64>, through path: [String]) throws -> [Int64: [Int64]] {
        var members: [Int64: [Int64]] = [:]
        for owner in owners { members[owner] = [] }
        guard !owners.isEmpty else { return members }
        let sql = try RequestCompiler.compileMembers(
            ofEntityNamed: request.entityName, through: path, model: model)
        let statement = try SQLiteStatement(sql, in: database)
        try statement.bind(Self.list(Array(owners)), at: 1)
        try statement.use { statement in
            while try statement.step() {
                members[statement.integer(0), default: []].append(statement.integer(1))
            }
        }
        return members
    }

    /// Returns the values of rows of a table, by key, without rows that do not exist.
    ///
    /// - Complexity: O(*k* log *n*) for *k* keys in a table of *n* rows.
    package func contents(ofTableNamed tableName: String, keys: [Int64]) throws -> [Int64: [StoredValue]] {
        guard !keys.isEmpty, let entity = model.entities.first(where: { $0.tableName == tableName }) else {
            return [:]
        }
        let statement = try SQLiteStatement(
            "SELECT t0.\(entity.keySQL), t0.* FROM json_each(?1) AS sf_keys "
                + "CROSS JOIN \(entity.tableSQL) AS t0 ON t0.\(entity.keySQL) = sf_keys.value", in: database)
        try statement.bind(Self.list(keys), at: 1)
        return try statement.use { statement in
            var contents: [Int64: [StoredValue]] = [:]
            while try statement.step() {
                contents[statement.integer(0)] = (1..<statement.columnCount).map(statement.value)
            }
            return contents
        }
    }

    /// Returns keys as a JSON array.
    private static func list(_ keys: [Int64]) -> StoredValue {
        var text = "["
        for key in keys {
            if text.utf8.count > 1 { text += "," }
            text += String(key)
        }
        return .text(text + "]")
    }
}
