/// What a key path ends in.
enum KeyPathEnd {
    /// An attribute.
    case attribute(AttributeDescription)
    /// A to-one relationship, whose column holds the other object's key.
    case toOne(RelationshipDescription)
    /// The primary key.
    case objectID
}

extension RequestCompiler {
    /// The greatest number of names in a key path, so that no request can join without bound.
    static let maximumDepth = 8

    /// The SQL column that a dotted key path leads to, with joins added on the way.
    ///
    /// - Parameter use: What the key path is for, in the words of the error message.
    mutating func column(
        _ path: String, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> (sql: String, end: KeyPathEnd) {
        let names =
            path.utf8.contains(UInt8(ascii: "."))
            ? path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [path]
        guard names.count <= Self.maximumDepth else {
            throw ObjectStorageError(
                .invalidKeyPath, "The key path “\(path)” has more than \(Self.maximumDepth) names.",
                entityName: entity.name, propertyName: path)
        }
        var current = entity
        var alias = "t0"
        for (position, name) in names.enumerated() {
            let column = "\(alias).\(name.quotedIdentifier)"
            let isLast = position == names.count - 1
            if name == "objectID", isLast { return ("\(alias).objectID", .objectID) }
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
                        "The key path “\(path)” cannot \(use): “\(current.name).\(name)” is transient, so it is in no row.",
                        entityName: current.name, propertyName: name)
                }
                return (column, .attribute(attribute))
            }
            guard let relationship = current.relationship(named: name) else {
                let error = current.unknownProperty(name)
                guard names.count > 1 else { throw error }
                throw ObjectStorageError(
                    error.code, "The key path “\(path)” leads nowhere. \(error.message)",
                    entityName: current.name,
                    propertyName: name)
            }
            guard !relationship.isToMany else {
                throw ObjectStorageError(
                    .invalidKeyPath,
                    "The key path “\(path)” cannot \(use): “\(current.name).\(name)” leads to many objects. Only to-one relationships have one value.",
                    entityName: current.name, propertyName: name)
            }
            if isLast { return (column, .toOne(relationship)) }
            current = try model.requireEntity(named: relationship.destinationEntityName)
            alias = self.alias(
                ofPath: names[...position].joined(separator: "."), column: column, destination: current)
        }
        throw ObjectStorageError(
            .invalidKeyPath, "An empty key path cannot \(use).", entityName: entity.name, propertyName: path)
    }

    /// The SQL of something to sort or group by.
    mutating func expression(
        _ expression: KeyExpression, of entity: EntityDescription, use: String
    ) throws(ObjectStorageError) -> String {
        let (sql, end) = try column(expression.path, of: entity, use: use)
        let type: AttributeType? = if case .attribute(let attribute) = end { attribute.type } else { nil }
        switch expression.function {
        case .value: return sql
        case .firstLetter(let locale, let diacritics):
            try require(.string, type, expression, entity)
            return "sf_first_letter(\(sql), \(bind(.text(locale))), \(bind(.text(diacritics.rawValue))))"
        case .year(let timeZone):
            try require(.date, type, expression, entity)
            return "sf_year(\(sql), \(bind(.text(timeZone))))"
        case .month(let timeZone):
            try require(.date, type, expression, entity)
            return "sf_month(\(sql), \(bind(.text(timeZone))))"
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
