package import ObjectModel

/// An expression as SQL, with the kind of its value.
package struct CompiledExpression {
    /// The SQL, or a value that is already known and is bound where it is used.
    let content: Content
    /// The kind of its value.
    package let kind: ExpressionKind

    /// The two forms of a compiled expression.
    enum Content {
        /// An expression in SQL.
        case sql(String)
        /// A known value.
        case constant(StoredValue)
    }

    /// Creates an expression from SQL.
    init(sql: String, kind: ExpressionKind) {
        content = .sql(sql)
        self.kind = kind
    }

    /// Creates an expression with a known value.
    init(constant: StoredValue, kind: ExpressionKind) {
        content = .constant(constant)
        self.kind = kind
    }

    /// The value, if it is already known.
    package var constant: StoredValue? {
        if case .constant(let value) = content { value } else { nil }
    }
}

extension RequestCompiler {
    /// Compiles an expression of a predicate.
    ///
    /// - Throws: ``ObjectStorageError`` for a key path that cannot be followed, a variable without a value, a
    ///   computation with values that are not numbers or not texts, or a list where none is allowed.
    package mutating func compile(_ expression: PredicateExpression) throws(ObjectStorageError)
        -> CompiledExpression
    {
        switch expression {
        case .constant(let value):
            return CompiledExpression(constant: value, kind: ExpressionKind(value))
        case .object(let objectID):
            return CompiledExpression(
                constant: key(of: objectID), kind: .object(entityName: objectID.entityName))
        case .keyPath(let path):
            let scope = try scope(of: path)
            return try compile(path.names, inScope: scope)
        case .arithmetic(let arithmetic, let left, let right):
            let left = try numberSQL(left)
            let right = try numberSQL(right)
            return CompiledExpression(sql: "(\(left) \(arithmetic.rawValue) \(right))", kind: .number)
        case .function(let function, let argument):
            let compiled = try compile(argument)
            let kind: ExpressionKind = function == .absolute ? .number : .text
            try require(kind, compiled, argument, for: function.rawValue)
            return CompiledExpression(sql: "sf_\(function.rawValue)(\(sql(of: compiled)))", kind: kind)
        case .aggregate(let aggregate, let collection): return try compile(aggregate, of: collection)
        case .variable(let name):
            throw ObjectStorageError(
                .invalidPredicate,
                "The predicate's variable $\(name) has no value. Give it one with substituting(_:).",
                entityName: scopes[0].entity.name)
        case .list:
            throw ObjectStorageError(
                .invalidPredicate, "A list is allowed only on the right of IN and BETWEEN.",
                entityName: scopes[0].entity.name)
        }
    }

    /// Compiles a key path that begins at the table of a scope.
    package mutating func compile(_ names: String, inScope scope: Int) throws(ObjectStorageError)
        -> CompiledExpression
    {
        let (sql, end) = try column(names, inScope: scope, use: "be compared")
        return CompiledExpression(sql: sql, kind: ExpressionKind(end))
    }

    private mutating func compile(
        _ aggregate: PredicateExpression.Aggregate, of collection: PredicateExpression.Collection
    ) throws(ObjectStorageError) -> CompiledExpression {
        let (start, names) = try parted(collection, "@" + aggregate.word)
        var kind = ExpressionKind.number
        let sql = try selection(ofEach: names, from: start, variable: collection.filter?.variable) {
            compiler throws(ObjectStorageError) in
            let scope = compiler.scopes.count - 1
            let condition = try collection.filter.map { filter throws(ObjectStorageError) in
                try compiler.predicate(filter.predicate, isNegated: false)
            }
            guard let path = aggregate.attributePath else { return ("count(*)", condition) }
            let value = try compiler.compile(path, inScope: scope)
            switch aggregate {
            case .minimum, .maximum:
                kind = value.kind
                if kind == .decimal {
                    return ("sf_decimal_\(aggregate.sqlFunction)(\(compiler.sql(of: value)))", condition)
                }
            case .count, .sum, .average:
                try compiler.require(.number, value, .path(path), for: "@" + aggregate.word)
            }
            return ("\(aggregate.sqlFunction)(\(compiler.sql(of: value)))", condition)
        }
        return CompiledExpression(sql: "(\(sql))", kind: kind)
    }

    /// Returns SQL that checks whether a collection has any object, as `EXISTS`, which does not count all of
    /// them.
    package mutating func exists(_ collection: PredicateExpression.Collection) throws(ObjectStorageError)
        -> String
    {
        let (start, names) = try parted(collection, "@count")
        let sql = try selection(ofEach: names, from: start, variable: collection.filter?.variable) {
            compiler throws(ObjectStorageError) in
            let condition = try collection.filter.map { filter throws(ObjectStorageError) in
                try compiler.predicate(filter.predicate, isNegated: false)
            }
            return ("1", condition)
        }
        return "EXISTS (\(sql))"
    }

    /// Returns the scope in which a collection begins, and the names that lead to its objects.
    private mutating func parted(
        _ collection: PredicateExpression.Collection, _ use: String
    ) throws(ObjectStorageError) -> (scope: Int, names: [String]) {
        let path = collection.path
        if let (start, names, rest) = try parted(path), rest == "objectID" { return (start, names) }
        let scope = try scope(of: path)
        // An invalid key path throws a more specific error here.
        _ = try column(path.names, inScope: scope, use: "be counted")
        throw ObjectStorageError(
            .invalidKeyPath, "“\(path.names).\(use)”: “\(path.names)” does not lead to many objects.",
            entityName: scopes[scope].entity.name, propertyName: path.names)
    }

    /// Returns the SQL of an expression; a known value is bound.
    package mutating func sql(of expression: CompiledExpression) -> String {
        switch expression.content {
        case .sql(let sql): sql
        case .constant(.null): "NULL"
        case .constant(let value): bind(value)
        }
    }

    /// Returns the SQL of an operand of arithmetic. A text that another program stored in a column of numbers
    /// becomes NULL: SQLite would otherwise convert its leading digits.
    private mutating func numberSQL(_ expression: PredicateExpression) throws(ObjectStorageError) -> String {
        let compiled = try compile(expression)
        try require(.number, compiled, expression, for: "arithmetic")
        switch expression {
        case .keyPath, .aggregate(.minimum, _), .aggregate(.maximum, _):
            return "sf_number(\(sql(of: compiled)))"
        default: return sql(of: compiled)
        }
    }

    private func require(
        _ kind: ExpressionKind, _ compiled: CompiledExpression, _ expression: PredicateExpression,
        for use: String
    ) throws(ObjectStorageError) {
        guard compiled.kind != kind, compiled.kind != .none else { return }
        throw ObjectStorageError(
            .invalidValue,
            "“\(expression.format)” is \(compiled.kind.words), and \(use) takes \(kind.words).",
            entityName: scopes[0].entity.name)
    }
}

extension PredicateExpression.Aggregate {
    fileprivate var sqlFunction: String {
        switch self {
        case .count: "count"
        case .sum: "sf_sum"
        case .average: "sf_average"
        case .minimum: "min"
        case .maximum: "max"
        }
    }
}
