/// What a key path ends in.
enum KeyPathEnd {
    /// An attribute.
    case attribute(AttributeDescription)
    /// A to-one relationship, whose column holds the other object's key.
    case toOne(RelationshipDescription)
    /// The primary key of an entity.
    case objectID(EntityDescription)
}

extension RequestCompiler {
    /// The greatest number of names in a key path, so that no request can join without bound.
    static let maximumDepth = 8

    /// The SQL column that a dotted key path of the request's entity leads to, with joins added on the way.
    ///
    /// - Parameter use: What the key path is for, in the words of the error message.
    mutating func column(
        _ path: String, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> (sql: String, end: KeyPathEnd) {
        try column(path, inScope: 0, use: use)
    }

    /// The SQL column that a dotted key path leads to from the table of a scope.
    mutating func column(
        _ path: String, inScope scope: Int, use: String
    ) throws(ObjectStorageError) -> (sql: String, end: KeyPathEnd) {
        var current = scopes[scope].entity
        var alias = scopes[scope].alias
        let names = try Self.names(of: path, entity: current)
        for (position, name) in names.enumerated() {
            let column = "\(alias).\(current.columnSQL(name))"
            let isLast = position == names.count - 1
            if name == "objectID", isLast { return ("\(alias).\(current.keySQL)", .objectID(current)) }
            if let attribute = current.attribute(named: name) {
                guard isLast else {
                    throw ObjectStorageError(
                        .invalidKeyPath,
                        "The key path “\(path)” cannot \(use): “\(current.name).\(name)” is an attribute, and nothing can follow it.",
                        entityName: current.name, propertyName: name)
                }
                guard !attribute.isTransient else {
                    throw ObjectStorageError(
                        .invalidKeyPath,
                        "The key path “\(path)” cannot \(use): “\(current.name).\(name)” is transient, so it is in no row. What is sorted or grouped by can be computed from a property that is kept: KeyExpression.computed.",
                        entityName: current.name, propertyName: name)
                }
                if attribute.allowsExternalStorage {
                    noteTable(LargeValueTable.tableName)
                    return (LargeValueTable.valueSQL(column), .attribute(attribute))
                }
                guard current.mapping != nil else { return (column, .attribute(attribute)) }
                return (current.valueSQL(name, prefix: alias + "."), .attribute(attribute))
            }
            let relationship = try Self.relationship(name, of: current, path: path)
            guard !relationship.isToMany else {
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(path)” cannot \(use): “\(current.name).\(name)” leads to many objects. Only to-one relationships have one value to sort and group by or to compare; a predicate can be about ANY, ALL or NONE of many, about their @count, or about a SUBQUERY of them.",
                    entityName: current.name, propertyName: name)
            }
            if isLast { return (column, .toOne(relationship)) }
            current = try model.requireEntity(named: relationship.destinationEntityName)
            alias = join(
                names[...position].joined(separator: "."), column: column, destination: current,
                inScope: scope)
        }
        throw ObjectStorageError(
            .invalidKeyPath, "An empty key path cannot \(use).", entityName: scopes[scope].entity.name,
            propertyName: path)
    }

    /// The names of a dotted key path.
    static func names(of path: String, entity: EntityDescription) throws(ObjectStorageError) -> [String] {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return [path] }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= maximumDepth else {
            throw ObjectStorageError(
                .invalidKeyPath, "The key path “\(path)” has more than \(maximumDepth) names.",
                entityName: entity.name, propertyName: path)
        }
        return names
    }

    /// The relationship called `name`, on a key path.
    static func relationship(
        _ name: String, of entity: EntityDescription, path: String
    ) throws(ObjectStorageError) -> RelationshipDescription {
        if let relationship = entity.relationship(named: name) { return relationship }
        let error = entity.unknownProperty(name)
        guard path != name else { throw error }
        throw ObjectStorageError(
            error.code, "The key path “\(path)” leads nowhere. \(error.message)", entityName: entity.name,
            propertyName: name)
    }

    /// The uses that need an order of values.
    private static let orderingUses: Set<String> = ["sort by", "group by"]

    /// The SQL of something to sort or group by.
    mutating func expression(
        _ expression: KeyExpression, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> String {
        let (sql, end) = try column(expression.path, of: entity, use: use)
        let type: AttributeType? = if case .attribute(let attribute) = end { attribute.type } else { nil }
        switch expression.function {
        case .value:
            // Its bytes are in the order of their coding, which means nothing to the values.
            guard type != .transformable || !Self.orderingUses.contains(use) else {
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(expression.path)” cannot \(use): it is transformable, and its values have no order in the store. Keep what they are ordered by in an attribute of its own.",
                    entityName: entity.name, propertyName: expression.path)
            }
            return sql
        case .firstLetter(let locale, let diacritics):
            try require(.string, type, expression, entity)
            return "sf_first_letter(\(sql), \(bind(.text(locale))), \(bind(.text(diacritics.rawValue))))"
        case .year(let timeZone):
            try require(.date, type, expression, entity)
            return "sf_year(\(sql), \(bind(.text(timeZone))))"
        case .month(let timeZone):
            try require(.date, type, expression, entity)
            return "sf_month(\(sql), \(bind(.text(timeZone))))"
        case .computed(let key):
            try require(key.valueType, type, expression, entity)
            if let defect = key.defect {
                throw ObjectStorageError(
                    .invalidRequest, "The \(expression) cannot be computed: \(defect).",
                    entityName: entity.name, propertyName: expression.path)
            }
            return "sf_key(\(sql), \(bind(.integer(key.number))))"
        }
    }

    private func require(
        _ needed: AttributeType, _ found: AttributeType?, _ expression: KeyExpression,
        _ entity: EntityDescription
    ) throws(ObjectStorageError) {
        guard found != needed else { return }
        throw ObjectStorageError(
            .invalidKeyPath,
            "The \(expression) cannot be computed: “\(expression.path)” is \(found.map { "of type \($0.rawValue)" } ?? "no attribute"), not of type \(needed.rawValue).",
            entityName: entity.name, propertyName: expression.path)
    }
}
