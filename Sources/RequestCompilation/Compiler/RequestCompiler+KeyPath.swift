package import ObjectModel

/// The property in which a key path ends.
package enum KeyPathEnd {
    /// An attribute.
    case attribute(AttributeDescription)
    /// A to-one relationship, whose column holds the other object's key.
    case toOne(RelationshipDescription)
    /// The primary key of an entity.
    case objectID(EntityDescription)
}

extension RequestCompiler {
    /// The largest number of names in a key path, which limits the joins of a request.
    package static let maximumDepth = 8

    /// Compiles a dotted key path of the request's entity to an SQL column, and adds the joins that it needs.
    ///
    /// - Parameter use: The use of the key path, as text for an error message.
    package mutating func column(
        _ path: String, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> (sql: String, end: KeyPathEnd) {
        try column(path, inScope: 0, use: use)
    }

    /// Compiles a dotted key path from the table of a scope to an SQL column, and adds the joins that it
    /// needs.
    package mutating func column(
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
                        "The key path “\(path)” cannot \(use): “\(current.name).\(name)” is transient, so it has no column. A value to sort or group by can be computed from a stored property: KeyExpression.computed.",
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
                    "The key path “\(path)” cannot \(use): “\(current.name).\(name)” leads to many objects. Only to-one relationships have a single value to sort, group by or compare; in a predicate use ANY, ALL or NONE, @count or SUBQUERY.",
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

    /// Splits a dotted key path into its names.
    package static func names(of path: String, entity: EntityDescription) throws(ObjectStorageError)
        -> [String]
    {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return [path] }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= maximumDepth else {
            throw ObjectStorageError(
                .invalidKeyPath, "The key path “\(path)” has more than \(maximumDepth) names.",
                entityName: entity.name, propertyName: path)
        }
        return names
    }

    /// Returns the relationship called `name` on a key path.
    package static func relationship(
        _ name: String, of entity: EntityDescription, path: String
    ) throws(ObjectStorageError) -> RelationshipDescription {
        if let relationship = entity.relationship(named: name) { return relationship }
        let error = entity.unknownProperty(name)
        guard path != name else { throw error }
        throw ObjectStorageError(
            error.code, "The key path “\(path)” leads nowhere. \(error.message)", entityName: entity.name,
            propertyName: name)
    }

    /// The uses that require an order of the values.
    private static let orderingUses: Set<String> = ["sort by", "group by"]

    /// Compiles an expression to sort or group by.
    package mutating func expression(
        _ expression: KeyExpression, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> String {
        if case .combined(let expressions) = expression.function {
            return try combined(expressions, of: entity, use: use)
        }
        let sql: String
        let type: AttributeType?
        if expression.isAggregate {
            (sql, type) = try aggregate(expression, of: entity, use: use)
        } else {
            let end: KeyPathEnd
            (sql, end) = try column(expression.path, of: entity, use: use)
            type = if case .attribute(let attribute) = end { attribute.type } else { nil }
        }
        switch expression.function {
        case .value:
            // The order of a transformable attribute's bytes is unrelated to that of its values.
            guard type != .transformable || !Self.orderingUses.contains(use) else {
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(expression.path)” cannot \(use): it is transformable, and its values have no order in the store. Store the value to order by in a separate attribute.",
                    entityName: entity.name, propertyName: expression.path)
            }
            return sql
        case .firstLetter(let locale, let diacritics):
            try require([.string], type, expression, entity)
            return "sf_first_letter(\(sql), \(bind(.text(locale))), \(bind(.text(diacritics.rawValue))))"
        case .indexLetter(let locale):
            try require([.string], type, expression, entity)
            return "sf_first_letter(\(sql), \(bind(.text(locale))), 'index')"
        case .foldedText:
            try require([.string], type, expression, entity)
            let options: PredicateTree.TextOptions = [.ignoringCase, .ignoringDiacritics]
            return "sf_fold(\(sql), \(options.rawValue))"
        case .calendar(let unit, let timeZone):
            try require([.date], type, expression, entity)
            switch unit {
            case .year: return "sf_year(\(sql), \(bind(.text(timeZone))))"
            case .month: return "sf_month(\(sql), \(bind(.text(timeZone))))"
            default: return "sf_calendar(\(sql), \(bind(.text(timeZone))), \(unit.rawValue))"
            }
        case .range(let ranges):
            try require(
                [.integer16, .integer32, .integer64, .double, .float, .decimal], type, expression, entity)
            try requireUsable(ranges.defect, expression, entity)
            return "sf_range(\(sql), \(bind(.text(ranges.description))), \(type == .float ? 1 : 0))"
        case .computed(let key):
            try require([key.valueType], type, expression, entity)
            try requireUsable(key.defect, expression, entity)
            return "sf_key(\(sql), \(bind(.integer(key.number))))"
        case .combined: return sql
        }
    }

    private mutating func combined(
        _ expressions: [KeyExpression], of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> String {
        guard use != "sort by", !expressions.isEmpty else {
            throw ObjectStorageError(
                .invalidRequest,
                "A combined key of “\(entity.name)” cannot \(use). Sort by its expressions, one after the other.",
                entityName: entity.name)
        }
        var values: [String] = []
        for simple in expressions { values.append(try expression(simple, of: entity, use: use)) }
        return "sf_combined(\(Self.list(values)))"
    }

    private func requireUsable(
        _ defect: String?, _ expression: KeyExpression, _ entity: EntityDescription
    ) throws(ObjectStorageError) {
        guard let defect else { return }
        throw ObjectStorageError(
            .invalidRequest, "The \(expression) cannot be computed: \(defect).",
            entityName: entity.name, propertyName: expression.path)
    }

    private func require(
        _ needed: [AttributeType], _ found: AttributeType?, _ expression: KeyExpression,
        _ entity: EntityDescription
    ) throws(ObjectStorageError) {
        guard found.map(needed.contains) != true else { return }
        throw ObjectStorageError(
            .invalidKeyPath,
            "The \(expression) cannot be computed: “\(expression.path)” is \(found.map { "of type \($0.rawValue)" } ?? "not an attribute"), not \(needed.count == 1 ? "of type \(needed[0].rawValue)" : "a number").",
            entityName: entity.name, propertyName: expression.path)
    }
}
