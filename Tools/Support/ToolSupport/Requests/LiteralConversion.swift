import SectionedFetch

/// The conversion of the texts of a predicate into values of the attributes with which they are compared: a
/// date in ISO 8601, a UUID, a number in quotes. Also the conversion of such values into texts.
struct LiteralConversion {
    /// The form of converted values.
    enum Form {
        case stored
        /// The form in which dates, Boolean values and UUIDs are written in conditions.
        case written
    }

    /// The other side of a comparison.
    private struct Target {
        let kind: KeyPathProperty.Kind
        let path: String
        /// Whether the side is the property itself, and not computed from it.
        let isProperty: Bool
    }

    private let root: EntityDescription?
    private let model: ManagedObjectModel
    private let form: Form

    /// Creates the conversion for an entity, or a list of several.
    init(entityName: String, model: ManagedObjectModel, to form: Form = .stored) {
        self.form = form
        root = model.list(named: entityName)
        self.model = model
    }

    /// Returns a predicate with converted values.
    ///
    /// - Throws: ``ObjectStorageError`` for a text that is not a value of the attribute's type, and for a
    ///   whole number that is compared with a date.
    func converted(_ tree: PredicateTree) throws(ObjectStorageError) -> PredicateTree {
        try converted(tree, [:])
    }

    private typealias Scopes = [String: EntityDescription]

    private func converted(
        _ tree: PredicateTree, _ scopes: Scopes
    ) throws(ObjectStorageError) -> PredicateTree {
        func all(_ parts: [PredicateTree]) throws(ObjectStorageError) -> [PredicateTree] {
            var result: [PredicateTree] = []
            for part in parts { result.append(try converted(part, scopes)) }
            return result
        }
        switch tree {
        case .constant: return tree
        case .and(let parts): return .and(try all(parts))
        case .or(let parts): return .or(try all(parts))
        case .not(let part): return .not(try converted(part, scopes))
        case .comparison(var comparison):
            let (left, right) = (comparison.left, comparison.right)
            let isOfTexts = comparison.relation.comparesTexts
            if form == .stored, comparison.relation.isOfOrder {
                try refuseNumber(left, comparedWith: target(right, scopes), comparison.relation)
                try refuseNumber(right, comparedWith: target(left, scopes), comparison.relation)
            }
            comparison.left = try converted(left, to: isOfTexts ? nil : target(right, scopes), scopes)
            comparison.right = try converted(right, to: isOfTexts ? nil : target(left, scopes), scopes)
            return .comparison(comparison)
        }
    }

    /// Throws if a string attribute is compared with a number, by an order in which “9” follows “10”.
    private func refuseNumber(
        _ expression: PredicateExpression, comparedWith target: Target?, _ relation: PredicateTree.Relation
    ) throws(ObjectStorageError) {
        guard let target, target.isProperty, target.kind == .attribute(.string) else { return }
        switch expression {
        case .list(let elements):
            for element in elements { try refuseNumber(element, comparedWith: target, relation) }
        case .constant(.integer(let number)):
            throw ShortCondition.comparisonOfTexts(target.path, relation.sign, String(number))
        case .constant(.real(let number)):
            throw ShortCondition.comparisonOfTexts(target.path, relation.sign, String(number))
        default: break
        }
    }

    private func converted(
        _ expression: PredicateExpression, to target: Target?, _ scopes: Scopes
    ) throws(ObjectStorageError) -> PredicateExpression {
        switch expression {
        case .constant(let value): return .constant(try converted(value, to: target))
        case .list(let elements):
            var list: [PredicateExpression] = []
            for element in elements { list.append(try converted(element, to: target, scopes)) }
            return .list(list)
        case .arithmetic(let operation, let left, let right):
            return .arithmetic(
                operation, try converted(left, to: nil, scopes), try converted(right, to: nil, scopes))
        case .function(let function, let argument):
            return .function(function, try converted(argument, to: nil, scopes))
        case .aggregate(let aggregate, var collection):
            guard let filter = collection.filter else { return expression }
            var scopes = scopes
            scopes[filter.variable] = end(of: collection.path, scopes).entity
            collection.filter = .init(filter.variable, try converted(filter.predicate, scopes))
            return .aggregate(aggregate, collection)
        case .object, .keyPath, .variable: return expression
        }
    }

    private func converted(
        _ value: StoredValue, to target: Target?
    ) throws(ObjectStorageError) -> StoredValue {
        guard let target else { return value }
        guard form == .stored else { return ValueText.written(value, of: target.kind) }
        switch (value, target.kind) {
        case (.text, .attribute(.string)), (.text, .attribute(.uri)): return value
        case (.text(let text), _):
            return try ValueText.value(ofText: text, kind: target.kind, path: target.path)
        case (.integer(let number), .attribute(.date)) where target.isProperty:
            throw ObjectStorageError(
                .invalidValue,
                "“\(target.path)” is a date, and \(number) is not. Write a date such as \"2024-03-01\", or CAST(\(number), \"Date\") for seconds since 2001.",
                propertyName: target.path)
        default: return value
        }
    }

    /// Returns the property from which the value of an expression comes; nil for other expressions.
    private func target(_ expression: PredicateExpression, _ scopes: Scopes) -> Target? {
        switch expression {
        case .keyPath(let path):
            return end(of: path, scopes).kind.map { Target(kind: $0, path: path.names, isProperty: true) }
        case .aggregate(let aggregate, let collection):
            switch aggregate {
            case .minimum(let path), .maximum(let path):
                let end = end(of: path, from: end(of: collection.path, scopes).entity)
                return end.kind.map { Target(kind: $0, path: path, isProperty: true) }
            case .count, .sum, .average: return nil
            }
        case .arithmetic(_, let left, let right):
            let dates = [left, right].compactMap { target($0, scopes) }.filter {
                $0.kind == .attribute(.date)
            }
            return dates.first.map { Target(kind: $0.kind, path: $0.path, isProperty: false) }
        case .constant, .object, .list, .variable, .function: return nil
        }
    }

    private func end(
        of path: PredicateExpression.Path, _ scopes: Scopes
    ) -> (kind: KeyPathProperty.Kind?, entity: EntityDescription?) {
        end(of: path.names, from: path.variable.map { scopes[$0] } ?? root)
    }

    /// Returns the kind of the property at the end of a key path, and the entity of the objects there.
    private func end(
        of names: String, from start: EntityDescription?
    ) -> (kind: KeyPathProperty.Kind?, entity: EntityDescription?) {
        var entity = start
        var kind: KeyPathProperty.Kind?
        for name in names.split(separator: ".").map(String.init) {
            guard let owner = entity else { return (nil, nil) }
            if let relationship = owner.relationship(named: name) {
                entity = model.entity(named: relationship.destinationEntityName)
                kind = .toOne(destination: relationship.destinationEntityName)
            } else if let attribute = owner.attribute(named: name) {
                entity = nil
                kind = .attribute(attribute.type)
            } else {
                kind = name == "objectID" ? .objectID : nil
            }
        }
        return (kind, entity)
    }
}

extension PredicateTree.Relation {
    /// Whether the relation depends on the order of values.
    fileprivate var isOfOrder: Bool {
        switch self {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between: true
        default: false
        }
    }

    /// A sign of the order for a message.
    fileprivate var sign: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        default: ">="
        }
    }
}
