import Mutants
package import ObjectModel

/// A compiler from requests to SQL. All identifiers come from the model, and all constants are bound.
package struct RequestCompiler {
    /// The largest number of arguments of a request. SQLite takes 32,766 (SQLITE_MAX_VARIABLE_NUMBER); the
    /// statements that look up single rows of the request bind further ones.
    private static let maximumNumberOfArguments = 32_000

    /// The model of the request's entities.
    let model: ManagedObjectModel
    /// The keys that objects without a row have during one transaction.
    package let provisionalKeys: [ObjectID.Key: Int64]
    /// The values of the parameters so far, from `?1` on.
    private(set) var arguments: [StoredValue] = []
    /// Whether a predicate is being compiled.
    private var isInPredicate = false
    /// The names of the tables that the statement reads so far, each once.
    private(set) var tableNames: [String] = []
    /// The objects in the predicate that have no row.
    private var unsavedObjects: [ObjectID] = []
    /// The tables at which key paths begin: the request's table first, then those of the enclosing
    /// subqueries.
    package var scopes: [Scope] = []
    private var numberOfAliases = 0

    /// Creates a compiler for one statement.
    init(model: ManagedObjectModel, provisionalKeys: [ObjectID.Key: Int64] = [:]) {
        self.model = model
        self.provisionalKeys = provisionalKeys
    }

    /// Compiles a request.
    ///
    /// - Throws: ``ObjectStorageError`` for an unknown entity or property, a key path that cannot be
    ///   followed, a constant of the wrong type, or a negative limit.
    package static func compile(
        _ request: RequestDescription, model: ManagedObjectModel, columns: RequestColumns,
        provisionalKeys: [ObjectID.Key: Int64] = [:]
    ) throws(ObjectStorageError) -> CompiledRequest {
        var compiler = RequestCompiler(model: model, provisionalKeys: provisionalKeys)
        return try compiler.compile(request, columns: columns)
    }

    private mutating func compile(
        _ request: RequestDescription, columns: RequestColumns
    ) throws(ObjectStorageError) -> CompiledRequest {
        guard request.limit >= 0, request.offset >= 0 else {
            throw ObjectStorageError(
                .invalidRequest,
                "The fetch limit \(request.limit) and offset \(request.offset) must not be negative; 0 means none.",
                entityName: request.entityName)
        }
        let entity = try model.requireList(named: request.entityName)
        guard request.includesSubentities || entity.union == nil else {
            throw ObjectStorageError(
                .invalidRequest,
                "A list of several entities includes the objects of their sub-entities. Name the entities whose objects are listed, and leave includesSubentities true.",
                entityName: entity.name)
        }
        openScope(of: entity)
        if case .values(let values) = columns { return try compile(request, values: values, entity: entity) }
        var selected = ["t0." + entity.keySQL]
        var groupSQL: String?
        switch columns {
        case .count, .keys, .values: break
        case .identities:
            if entity.hasSubentities, let entityName = entity.concreteEntityNameSQL("t0.") {
                selected.append(entityName)
            }
        case .objects:
            if entity.hasSubentities, let entityName = entity.concreteEntityNameSQL("t0.") {
                let family = HierarchyColumns(model.family(of: entity))
                selected += [entityName] + family.columns.map { "t0." + $0 }
            } else {
                selected += entity.columnSQLs.map { "t0." + $0 }
            }
        case .groups(let key, let name):
            let sql = try expression(key, of: entity, use: "group by")
            groupSQL = sql
            selected.append("\(sql) AS \(Self.alias("group"))")
            if let name { selected.append(try expression(name, of: entity, use: "name groups by")) }
        }
        try noteDisplayedTables(of: request, entity)
        let condition = try self.condition(of: request, entity)
        let (terms, sortingTerm): ([String], String?)
        if case .count = columns {
            // The count does not depend on the order, so the order's values and tables are not part of the
            // statement: a copy of the compiler compiles the order, only to check it.
            var aside = self
            (terms, sortingTerm) = try aside.order(of: request, entity, groupedBy: nil)
        } else {
            (terms, sortingTerm) = try order(of: request, entity, groupedBy: groupSQL)
        }
        var sql = "SELECT \(Self.list(selected)) FROM \(entity.tableSQL) AS t0"
        for join in scopes[0].joins { sql += " " + join }
        if let condition { sql += " WHERE \(condition)" }
        let isWindowed = request.limit > 0 || request.offset > 0
        var sortingSQL: String?
        if case .count = columns {
            if isWindowed { sql += windowClause(request) }
            // Counting the keys of a union computes them, which fails for a row that cannot be listed.
            sql = "SELECT count(\(entity.union == nil ? "*" : entity.keySQL)) FROM (\(sql))"
        } else {
            if !isWindowed, let sortingTerm {
                sortingSQL = sql + " ORDER BY \(Self.list([sortingTerm] + terms.dropFirst()))"
            }
            sql += " ORDER BY \(Self.list(terms))"
            if isWindowed { sql += windowClause(request) }
        }
        return try compiled(sql, sortingSQL: sortingSQL, columns, of: entity)
    }

    /// Returns the terms of an order, and the first term in a form that no index can provide; nil for an
    /// order by keys alone.
    private mutating func order(
        of request: RequestDescription, _ entity: EntityDescription, groupedBy groupSQL: String?
    ) throws(ObjectStorageError) -> (terms: [String], sortingTerm: String?) {
        var terms: [String] = []
        var sortingTerm: String?
        if let precedence = request.precedence {
            terms.append(try rank(precedence, of: entity))
            sortingTerm = terms[0]
        }
        for term in request.sort {
            let sql = try expression(term.expression, of: entity, use: "sort by")
            // A term with a unary plus does not match a column of an index.
            if terms.isEmpty { sortingTerm = try orderTerm(term, sql: "+" + sql, of: entity) }
            // An expression must not be computed twice for each row: SQLite reuses a result column by its
            // name.
            terms.append(try orderTerm(term, sql: sql == groupSQL ? Self.alias("group") : sql, of: entity))
        }
        if !Mutant.noTieBreak.isPlanted { terms += keyTerms(of: entity) }
        return (terms, sortingTerm)
    }

    /// Returns the last terms of an order: the key. In a union the unsaved objects of each entity, whose
    /// keys are large, come after its rows and before those of the next entity.
    func keyTerms(of entity: EntityDescription) -> [String] {
        let key = "t0." + entity.keySQL
        return entity.union == nil ? [key] : [EntityUnion.memberSQL(ofKey: key), key]
    }

    /// Returns the compiled statement with the collected arguments and tables.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidRequest`` for too many
    ///   arguments.
    package func compiled(
        _ sql: String, sortingSQL: String? = nil, _ columns: RequestColumns, of entity: EntityDescription
    ) throws(ObjectStorageError) -> CompiledRequest {
        guard arguments.count <= Self.maximumNumberOfArguments else {
            throw ObjectStorageError(
                .invalidRequest,
                "The request has \(arguments.count) constants; up to \(Self.maximumNumberOfArguments) are allowed. Compare with a list (IN), or fetch in several parts.",
                entityName: entity.name)
        }
        return CompiledRequest(
            sql: sql, sortingSQL: sortingSQL, arguments: arguments, tableNames: tableNames.sorted(),
            columns: columns, unsavedObjects: unsavedObjects)
    }

    /// Returns the key of an object, or an empty blob for an object without a row, which equals no key.
    package mutating func key(of objectID: ObjectID) -> StoredValue {
        if let key = objectID.primaryKey ?? provisionalKeys[objectID.key] { return .integer(key) }
        unsavedObjects.append(objectID)
        return .blob([])
    }

    /// Returns SQL for the position of a row's value in a list, or the length of the list if it is missing.
    package mutating func rank(
        _ precedence: RequestDescription.Precedence, of entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        let sql = try expression(precedence.expression, of: entity, use: "be listed")
        var rank = "CASE"
        for (position, value) in precedence.values.enumerated() {
            rank += " WHEN \(sql) IS \(value.isNull ? "NULL" : bind(value)) THEN \(position)"
        }
        return rank + " ELSE \(precedence.values.count) END"
    }

    /// Returns the condition for rows of the request's table, as SQL; nil for all rows.
    package mutating func condition(
        of request: RequestDescription, _ entity: EntityDescription
    ) throws(ObjectStorageError) -> String? {
        let entityCondition = entity.concreteEntityCondition(
            "t0", includesSubentities: request.includesSubentities)
        guard let tree = request.predicate else { return entityCondition }
        try Self.checkNesting(of: tree, entityName: entity.name)
        isInPredicate = true
        defer { isInPredicate = false }
        let predicate = try predicate(tree, isNegated: false)
        return entityCondition.map { "\($0) AND \(predicate)" } ?? predicate
    }

    /// Returns a result column's alias, which no column of a table has: names of properties have no full
    /// stop.
    package static func alias(_ name: String) -> String { "\"sf.\(name)\"" }

    /// Joins terms with commas. `joined(separator:)` would look up conformances at program start.
    package static func list(_ terms: [String]) -> String {
        terms.dropFirst().reduce(terms.first ?? "") { $0 + ", " + $1 }
    }

    /// Records that the statement reads a table.
    package mutating func noteTable(_ name: String) {
        if !tableNames.contains(name) { tableNames.append(name) }
    }

    /// Returns an alias for one more table, and records the table.
    package mutating func newAlias(of entity: EntityDescription) -> String {
        for name in entity.tableNames { noteTable(name) }
        defer { numberOfAliases += 1 }
        return "t\(numberOfAliases)"
    }

    /// Returns the SQL of the request's limit and offset.
    mutating func windowClause(_ request: RequestDescription) -> String {
        " LIMIT \(bind(.integer(request.limit > 0 ? Int64(request.limit) : -1)))"
            + " OFFSET \(bind(.integer(Int64(request.offset))))"
    }

    /// Adds a value to bind, or finds it among the arguments, and returns its parameter. Equal values share a
    /// parameter, so that equal expressions have equal SQL; in a predicate only while the statement has fewer
    /// than 64 parameters, because a predicate may have thousands of values.
    package mutating func bind(_ value: StoredValue) -> String {
        if arguments.count < 64 || !isInPredicate, let position = arguments.firstIndex(of: value) {
            return "?\(position + 1)"
        }
        arguments.append(value)
        return "?\(arguments.count)"
    }

    /// Returns the SQL of a term of an order, with collation and direction.
    mutating func orderTerm(
        _ term: SortTerm, sql: String, of entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        Self.directed(term, sql: try orderValue(term, sql: sql, of: entity))
    }

    /// Returns the SQL of the value by which a term of an order sorts.
    package mutating func orderValue(
        _ term: SortTerm, sql: String, of entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        switch term.order.kind {
        case .binary:
            return term.expression.type(of: entity, in: model) == .decimal ? "sf_decimal(\(sql))" : sql
        case .caseInsensitive: return sql
        case .localized(let locale):
            try LocalizedOrder.checkIdentifier(locale)
            return "sf_localized(\(sql), \(bind(.text(locale))))"
        case .indexed(let locale):
            try LocalizedOrder.checkIdentifier(locale)
            return "sf_indexed(\(sql), \(bind(.text(locale))))"
        }
    }

    /// Returns the SQL of a value to sort by, with the collation, the direction and the position of missing
    /// values.
    package static func directed(_ term: SortTerm, sql: String) -> String {
        var sql = sql
        if term.order.kind == .caseInsensitive { sql += " COLLATE \(TextCollations.caseInsensitiveName)" }
        sql += term.isAscending ? " ASC" : " DESC"
        switch (term.nulls, term.isAscending) {
        case (.smallest, _), (.first, true), (.last, false): break
        case (.first, false): sql += " NULLS FIRST"
        case (.last, true): sql += " NULLS LAST"
        }
        return sql
    }
}
