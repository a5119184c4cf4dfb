package import ObjectModel

extension RequestCompiler {
    /// Compiles a key path that ends with a function of related objects to a subquery.
    ///
    /// - Parameter use: The use of the value, as text for an error message.
    /// - Returns: The SQL, and the type of the value.
    /// - Throws: ``ObjectStorageError`` if the function does not exist, the key path does not lead to many
    ///   objects, or the attribute has no order or is not a number.
    package mutating func aggregate(
        _ expression: KeyExpression, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> (sql: String, type: AttributeType?) {
        guard let aggregate = expression.aggregate else {
            throw ObjectStorageError(
                .invalidKeyPath,
                "The key path “\(expression.path)” cannot \(use). Functions of related objects are written “items.@count”, “items.@sum.price”, @avg, @min and @max.",
                entityName: entity.name, propertyName: expression.path)
        }
        let collection = PredicateExpression.Path(aggregate.collection)
        guard let (scope, names, rest) = try parted(collection), rest == "objectID" else {
            // An invalid key path throws a more specific error here.
            _ = try column(aggregate.collection, of: entity, use: use)
            throw ObjectStorageError(
                .invalidKeyPath,
                "The key path “\(expression.path)” cannot \(use): “\(aggregate.collection)” does not lead to many objects.",
                entityName: entity.name, propertyName: expression.path)
        }
        var type: AttributeType? = .integer64
        let sql = try selection(ofEach: names, from: scope) { compiler throws(ObjectStorageError) in
            guard let path = aggregate.attribute else { return ("count(*)", nil) }
            let (column, end) = try compiler.column(path, inScope: compiler.scopes.count - 1, use: use)
            guard case .attribute(let attribute) = end, aggregate.function.takes(attribute.type) else {
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(expression.path)” cannot \(use): \(aggregate.function.rawValue) takes \(aggregate.function.argument), and “\(path)” is not one.",
                    entityName: entity.name, propertyName: expression.path)
            }
            switch aggregate.function {
            case .count: break
            case .average: type = attribute.type.averageType ?? type
            case .sum: type = attribute.type.sumType ?? type
            case .minimum, .maximum: type = attribute.type
            }
            let isDecimal = attribute.type == .decimal && aggregate.function != .average
            let value =
                "\(isDecimal ? "sf_decimal_" : "")\(aggregate.function.sqlName(isDecimal))(\(column))"
            return (isDecimal && aggregate.function == .sum ? "coalesce(\(value), '0')" : value, nil)
        }
        return ("(\(sql))", type)
    }
}

extension KeyExpression.Aggregate.Function {
    /// Returns whether the function can be computed from values of a type.
    fileprivate func takes(_ type: AttributeType) -> Bool {
        switch self {
        case .count: true
        case .sum: type.sumType != nil
        case .average: type.averageType != nil
        case .minimum, .maximum: type != .transformable
        }
    }

    /// The values from which the function can be computed, as text for an error message.
    fileprivate var argument: String {
        switch self {
        case .minimum, .maximum: "a value with an order"
        default: "a number"
        }
    }

    /// Returns the name of the function in SQL; for a function of decimals, the last part of the name.
    fileprivate func sqlName(_ isDecimal: Bool) -> String {
        switch self {
        case .count: "count"
        case .sum: isDecimal ? "sum" : "sf_sum"
        case .average: "sf_average"
        case .minimum: "min"
        case .maximum: "max"
        }
    }
}
