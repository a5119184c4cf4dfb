import ObjectStorage
import CheckSupport

/// Generates random predicates that the model can answer.
struct PredicateGenerator {
    /// The kind of a value.
    enum Kind: Equatable {
        case number, text, bytes
        case object(String)
    }

    /// An entity at which key paths can begin, and the variable of its subquery.
    struct Scope {
        let variable: String?
        let entity: EntityDescription
    }

    let model: ManagedObjectModel
    /// Objects that predicates can refer to.
    let objects: [ObjectID]
    /// Whether keys are compared as numbers; keys of unsaved objects have no order.
    let comparesKeys: Bool
    /// Values of the objects with the names of their attributes, so that comparisons are often close.
    let samples: [(name: String, value: StoredValue)]
    var generator: SeededGenerator

    mutating func predicate(of entityName: String, depth: Int) throws -> PredicateTree {
        try predicate([Scope(variable: nil, entity: model.requireEntity(named: entityName))], depth: depth)
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func predicate(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
        switch Int.random(in: 0..<(depth > 0 ? 14 : 8), using: &generator) {
        case 0 where chance(4): return .constant(chance(2))
        case 1 where depth > 0: return try existence(scopes, depth: depth)
        case 0..<6: return try comparison(scopes, depth: depth)
        case 6, 7: return try quantified(scopes, depth: depth)
        case 8, 9: return .not(try predicate(scopes, depth: depth - 1))
        case 10, 11: return .conjunction(try parts(scopes, depth: depth))
        default: return .disjunction(try parts(scopes, depth: depth))
        }
    }

    mutating func parts(_ scopes: [Scope], depth: Int) throws -> [PredicateTree] {
        var parts: [PredicateTree] = []
        for _ in 0..<Int.random(in: 2...3, using: &generator) {
            parts.append(try predicate(scopes, depth: depth - 1))
        }
        return parts
    }

    mutating func kind() -> Kind {
        any([
            .number, .number, .number, .text, .text, .text, .text, .bytes, .object(any(model.entities).name),
        ])
    }

    mutating func comparison(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
        let kind = kind()
        let left = try expression(kind, scopes, depth: depth)
        return try comparison(of: left, kind, scopes, depth: depth, quantifier: nil)
    }

    mutating func comparison(
        of left: PredicateExpression, _ kind: Kind, _ scopes: [Scope], depth: Int,
        quantifier: PredicateTree.Quantifier?
    ) throws -> PredicateTree {
        var relations: [PredicateTree.Relation] = [.equal, .notEqual, .isIn]
        if case .object = kind {
            if comparesKeys { relations += [.lessThan, .between] }
        } else {
            relations += [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between]
        }
        if kind == .text {
            relations += [.beginsWith, .contains, .endsWith, .like, .like, .matches, .matches]
        }
        let relation = any(relations)
        let options = PredicateTree.TextOptions(
            rawValue: kind == .text ? UInt8.random(in: 0...3, using: &generator) : 0)
        let right: PredicateExpression
        switch relation {
        case .isIn:
            if quantifier == nil, case .object(let name) = kind,
                let path = try collection(scopes, leadingTo: name)
            {
                right = .keyPath(path)
            } else {
                var list: [PredicateExpression] = []
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    list.append(try operand(for: left, kind, scopes, depth: 0))
                }
                right = .list(list)
            }
        case .between:
            right = .list([
                try operand(for: left, kind, scopes, depth: 0),
                try operand(for: left, kind, scopes, depth: 0),
            ])
        case .matches where !chance(4): right = .value(.text(expressionPattern()))
        case .like where !chance(4):
            let pieces = [
                RandomValue.text(using: &generator, longest: 1), sampleText(), "*", "?", "\\*", "*",
            ]
            right = .value(.text((0..<3).map { _ in any(pieces) }.joined()))
        default:
            let operand = chance(8) ? .value(.null) : try operand(for: left, kind, scopes, depth: depth - 1)
            // A text that is no regular expression is refused, unless it comes from the data.
            if relation == .matches, case .constant(.text) = operand {
                right = .value(.text(expressionPattern()))
            } else {
                right = operand
            }
        }
        return .comparison(left, relation, right, options: options, quantifier: quantifier)
    }

    /// Returns a comparison of a count with zero, which is compiled in another way than other counts.
    mutating func existence(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
        guard case .aggregate(_, let collection)? = try aggregate(.number, scopes, depth: depth) else {
            return try comparison(scopes, depth: depth)
        }
        return .comparison(
            .aggregate(.count, collection), any([.equal, .notEqual, .greaterThan, .lessThan]),
            .value(.integer(0)))
    }

    mutating func quantified(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
        guard let path = try collection(scopes, leadingTo: nil) else {
            return try comparison(scopes, depth: depth)
        }
        let entity = try end(of: path, scopes)
        let kind = kind()
        guard let rest = try names(of: kind, from: entity) else {
            return try comparison(scopes, depth: depth)
        }
        var left = path
        if rest != "objectID" { left.names += "." + rest }
        return try comparison(
            of: .keyPath(left), kind, scopes, depth: depth, quantifier: any(PredicateTree.Quantifier.allCases)
        )
    }

    mutating func expression(
        _ kind: Kind, _ scopes: [Scope], depth: Int
    ) throws -> PredicateExpression {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3: return constant(kind)
        case 3...5:
            if depth > 0, let computed = try computed(kind, scopes, depth: depth) { return computed }
        default: break
        }
        let scope = any(scopes)
        guard let names = try names(of: kind, from: scope.entity) else { return constant(kind) }
        return .keyPath(.init(names, from: scope.variable))
    }

    mutating func computed(
        _ kind: Kind, _ scopes: [Scope], depth: Int
    ) throws -> PredicateExpression? {
        switch kind {
        case .number where chance(2):
            return .arithmetic(
                any(PredicateExpression.Operator.allCases), try expression(.number, scopes, depth: depth - 1),
                try expression(.number, scopes, depth: depth - 1))
        case .number where chance(5):
            return .function(.absolute, try expression(.number, scopes, depth: depth - 1))
        case .number, .text:
            guard kind == .number || chance(3) else {
                return .function(
                    any([.lowercase, .uppercase]), try expression(.text, scopes, depth: depth - 1))
            }
            return try aggregate(kind, scopes, depth: depth)
        default: return nil
        }
    }

    mutating func aggregate(
        _ kind: Kind, _ scopes: [Scope], depth: Int
    ) throws -> PredicateExpression? {
        guard let path = try collection(scopes, leadingTo: nil) else { return nil }
        let entity = try end(of: path, scopes)
        var collection = PredicateExpression.Collection(path)
        if chance(2) {
            let variable = "v\(scopes.count)"
            collection.filter = .init(
                variable,
                try predicate(scopes + [Scope(variable: variable, entity: entity)], depth: depth - 1))
        }
        if kind == .number, chance(2) { return .aggregate(.count, collection) }
        guard let names = try names(of: kind, from: entity) else { return nil }
        guard kind == .number else { return .aggregate(any([.minimum(names), .maximum(names)]), collection) }
        return .aggregate(
            any([.minimum(names), .maximum(names), .sum(names), .average(names)]), collection)
    }
}
