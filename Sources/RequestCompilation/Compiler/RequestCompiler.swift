import Mutants

/// Turns a request into SQL. Identifiers come from the model alone, and every constant is bound.
struct RequestCompiler {
    /// SQLITE_MAX_VARIABLE_NUMBER, unless SQLite was built with another.
    private static let maximumNumberOfArguments = 32_766

    let model: ManagedObjectModel
    /// The keys that objects without a row have for the time of one transaction.
    let provisionalKeys: [ObjectID.Key: Int64]
    private(set) var arguments: [StoredValue] = []
    private(set) var tableNames: [String] = []
    /// The objects of the predicate that have no row.
    private var unsavedObjects: [ObjectID] = []
    /// The tables that key paths begin at: that of the request first, then those of the subqueries around.
    var scopes: [Scope] = []
    private var numberOfAliases = 0

    init(model: ManagedObjectModel, provisionalKeys: [ObjectID.Key: Int64] = [:]) {
        self.model = model
        self.provisionalKeys = provisionalKeys
    }

    /// Compiles a request.
    ///
    /// - Throws: ``ObjectStorageError``: an unknown entity or property, a key path that cannot be followed, a
    ///   constant of the wrong type, a negative limit.
    static func compile(
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
        let entity = try model.requireEntity(named: request.entityName)
        openScope(of: entity)
        if case .values(let values) = columns { return try compile(request, values: values, entity: entity) }
        var selected = ["t0." + entity.keySQL]
        var groupSQL: String?
        switch columns {
        case .count, .keys, .values: break
        case .identities:
            if entity.hasSubentities, let kind = entity.kindSQL { selected.append("t0." + kind) }
        case .objects:
            if entity.hasSubentities, let kind = entity.kindSQL {
                let family = HierarchyColumns(model.family(of: entity))
                selected += ([kind] + family.columns).map { "t0." + $0 }
            } else {
                selected += entity.columnSQLs.map { "t0." + $0 }
            }
        case .groups(let key, let name):
            let sql = try expression(key, of: entity, use: "group by")
            groupSQL = sql
            selected.append("\(sql) AS \(Self.alias("group"))")
            if let name { selected.append(try expression(name, of: entity, use: "name groups by")) }
        }
        let condition = try self.condition(of: request, entity)
        let (terms, sortingTerm): ([String], String?)
        if case .count = columns {
            // How many there are does not depend on their order, so neither its values nor its tables are
            // part of the statement: it is compiled aside, to be checked.
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
            sql = "SELECT count(*) FROM (\(sql))"
        } else {
            if !isWindowed, let sortingTerm {
                sortingSQL = sql + " ORDER BY \(Self.list([sortingTerm] + terms.dropFirst()))"
            }
            sql += " ORDER BY \(Self.list(terms))"
            if isWindowed { sql += windowClause(request) }
        }
        guard arguments.count <= Self.maximumNumberOfArguments else {
            throw ObjectStorageError(
                .invalidRequest,
                "The request binds \(arguments.count) values; SQLite takes up to \(Self.maximumNumberOfArguments). Fetch in several parts.",
                entityName: entity.name)
        }
        return compiled(sql, sortingSQL: sortingSQL, columns)
    }

    /// The terms of an order, and the first as a sorter has it; nil for an order by keys alone.
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
            // A term with a plus sign before it is no column of an index.
            if terms.isEmpty { sortingTerm = try orderTerm(term, sql: "+" + sql, of: entity) }
            // The same expression must not be computed twice a row: SQLite takes a result column by its name.
            terms.append(try orderTerm(term, sql: sql == groupSQL ? Self.alias("group") : sql, of: entity))
        }
        if !Mutant.noTieBreak.isPlanted { terms.append("t0." + entity.keySQL) }
        return (terms, sortingTerm)
    }

    /// What was compiled.
    func compiled(
        _ sql: String, sortingSQL: String? = nil, _ columns: RequestColumns
    ) -> CompiledRequest {
        CompiledRequest(
            sql: sql, sortingSQL: sortingSQL, arguments: arguments, tableNames: tableNames.sorted(),
            columns: columns, unsavedObjects: unsavedObjects)
    }

    /// The key of an object, or bytes for one that has no row, which equals none: no key is bytes.
    mutating func key(of objectID: ObjectID) -> StoredValue {
        if let key = objectID.primaryKey ?? provisionalKeys[objectID.key] { return .integer(key) }
        unsavedObjects.append(objectID)
        return .blob([])
    }

    /// The position of a row's value in a list, or the length of the list, as SQL.
    mutating func rank(
        _ precedence: RequestDescription.Precedence, of entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        let sql = try expression(precedence.expression, of: entity, use: "be listed")
        var rank = "CASE"
        for (position, value) in precedence.values.enumerated() {
            rank += " WHEN \(sql) IS \(value.isNull ? "NULL" : bind(value)) THEN \(position)"
        }
        return rank + " ELSE \(precedence.values.count) END"
    }

    /// What must hold for a row of the request's table, as SQL; nil for all rows.
    mutating func condition(
        of request: RequestDescription, _ entity: EntityDescription
    ) throws(ObjectStorageError) -> String? {
        let kind = entity.kindCondition("t0", includesSubentities: request.includesSubentities)
        guard let tree = request.predicate else { return kind }
        try Self.checkNesting(of: tree, entityName: entity.name)
        let predicate = try predicate(tree, isNegated: false)
        return kind.map { "\($0) AND \(predicate)" } ?? predicate
    }

    /// A name for a result column that no column of a table has: names of properties have no full stop.
    static func alias(_ name: String) -> String { "\"sf.\(name)\"" }

    /// Terms with commas between them. `joined(separator:)` would look up conformances when a program starts.
    static func list(_ terms: [String]) -> String {
        terms.dropFirst().reduce(terms.first ?? "") { $0 + ", " + $1 }
    }

    /// Notes that a table is read.
    mutating func noteTable(_ name: String) {
        if !tableNames.contains(name) { tableNames.append(name) }
    }

    /// A name for one more table, which is noted.
    mutating func newAlias(of entity: EntityDescription) -> String {
        noteTable(entity.tableName)
        defer { numberOfAliases += 1 }
        return "t\(numberOfAliases)"
    }

    mutating func windowClause(_ request: RequestDescription) -> String {
        " LIMIT \(bind(.integer(request.limit > 0 ? Int64(request.limit) : -1)))"
            + " OFFSET \(bind(.integer(Int64(request.offset))))"
    }

    /// Adds a value to bind, or finds it, and gives its parameter. The same value is the same parameter, so
    /// that the same expression is the same text.
    mutating func bind(_ value: StoredValue) -> String {
        if arguments.count < 64, let position = arguments.firstIndex(of: value) { return "?\(position + 1)" }
        arguments.append(value)
        return "?\(arguments.count)"
    }

    mutating func orderTerm(
        _ term: SortTerm, sql: String, of entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        Self.directed(term, sql: try orderValue(term, sql: sql, of: entity))
    }

    /// The SQL of the value by which a term of an order sorts.
    mutating func orderValue(
        _ term: SortTerm, sql: String, of entity: EntityDescription
    ) throws(ObjectStorageError) -> String {
        switch term.order.kind {
        case .binary:
            return term.expression.type(of: entity, in: model) == .decimal ? "sf_decimal(\(sql))" : sql
        case .caseInsensitive: return sql
        case .localized(let locale):
            try LocalizedOrder.checkIdentifier(locale)
            return "sf_localized(\(sql), \(bind(.text(locale))))"
        }
    }

    /// A value to sort by, with the collation, the direction and the place of rows without a value.
    static func directed(_ term: SortTerm, sql: String) -> String {
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
