import ObjectStorage
import TestSupport

/// Makes random predicates that the model can answer.
struct PredicateGenerator {
    /// What values are of.
    enum Kind: Equatable {
        case number, text, bytes
        case object(String)
    }

    /// Where key paths can begin.
    struct Scope {
        let variable: String?
        let entity: EntityDescription
    }

    let model: ManagedObjectModel
    /// Objects that predicates can name.
    let objects: [ObjectID]
    /// Whether keys are compared as numbers; those of unsaved objects mean nothing.
    let comparesKeys: Bool
    /// Values of the objects by the names of attributes, so that comparisons are often close.
    let samples: [(name: String, value: StoredValue)]
    var generator: SeededGenerator

    mutating func predicate(of entityName: String, depth: Int) throws -> PredicateTree {
        try predicate([Scope(variable: nil, entity: model.requireEntity(named: entityName))], depth: depth)
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func predicate(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
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

    private mutating func parts(_ scopes: [Scope], depth: Int) throws -> [PredicateTree] {
        var parts: [PredicateTree] = []
        for _ in 0..<Int.random(in: 2...3, using: &generator) {
            parts.append(try predicate(scopes, depth: depth - 1))
        }
        return parts
    }

    private mutating func kind() -> Kind {
        any([
            .number, .number, .number, .text, .text, .text, .text, .bytes, .object(any(model.entities).name),
        ])
    }

    private mutating func comparison(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
        let kind = kind()
        let left = try expression(kind, scopes, depth: depth)
        return try comparison(of: left, kind, scopes, depth: depth, quantifier: nil)
    }

    private mutating func comparison(
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
            // A text that is no regular expression would be refused, unless it comes from the data.
            if relation == .matches, case .constant(.text) = operand {
                right = .value(.text(expressionPattern()))
            } else {
                right = operand
            }
        }
        return .comparison(left, relation, right, options: options, quantifier: quantifier)
    }

    private mutating func expressionPattern() -> String {
        let sample = sampleText().map { $0.isLetter ? String($0) : "." }.joined()
        let pieces = [
            sample, sample, ".", ".*", ".+", "[a-e]", "\\w+", "\\W", "\\p{L}*", "(a|é|ß)", "e", "É", "ss",
            "σ?", "(?s:.)*",
            "[^a]", "\\Q*\\E",
        ]
        return (0..<Int.random(in: 1...3, using: &generator)).map { _ in any(pieces) }.joined()
    }

    /// Whether there is any object, which SQL answers in another way than other numbers.
    private mutating func existence(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
        guard case .aggregate(_, let collection)? = try aggregate(.number, scopes, depth: depth) else {
            return try comparison(scopes, depth: depth)
        }
        return .comparison(
            .aggregate(.count, collection), any([.equal, .notEqual, .greaterThan, .lessThan]),
            .value(.integer(0)))
    }

    private mutating func quantified(_ scopes: [Scope], depth: Int) throws -> PredicateTree {
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

    private mutating func expression(
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

    private mutating func constant(_ kind: Kind) -> PredicateExpression {
        if chance(12) { return .value(.null) }
        switch kind {
        case .number:
            if chance(2), let sample = sample({ $0.number != nil }) { return .value(near(sample)) }
            return .value(
                chance(2)
                    ? .integer(RandomValue.integer(using: &generator))
                    : .real(RandomValue.real(using: &generator)))
        case .text:
            return .value(.text(chance(2) ? sampleText() : RandomValue.text(using: &generator, longest: 2)))
        case .bytes:
            if chance(2), let sample = sample({ if case .blob = $0 { true } else { false } }) {
                return .value(sample)
            }
            return .value(.blob(RandomValue.bytes(using: &generator)))
        case .object(let name):
            if comparesKeys, chance(3) { return .value(.integer(Int64.random(in: 0...4, using: &generator))) }
            return .object(any(objects.filter { $0.entityName == name }))
        }
    }

    /// What a side of a comparison is compared with: often a value of its own attribute, or one near to it.
    private mutating func operand(
        for left: PredicateExpression, _ kind: Kind, _ scopes: [Scope], depth: Int
    ) throws -> PredicateExpression {
        guard case .keyPath(let path) = left, chance(2) else {
            return try expression(kind, scopes, depth: depth)
        }
        let name = path.names.split(separator: ".").last.map(String.init)
        let values = samples.filter { $0.name == name }
        guard let value = values.randomElement(using: &generator)?.value else {
            return try expression(kind, scopes, depth: depth)
        }
        return .value(near(value))
    }

    private mutating func sample(_ isOfKind: (StoredValue) -> Bool) -> StoredValue? {
        samples.map(\.value).filter(isOfKind).randomElement(using: &generator)
    }

    /// A number, or the same in the other storage class, or the next one to it.
    private mutating func near(_ value: StoredValue) -> StoredValue {
        switch (value, Int.random(in: 0..<4, using: &generator)) {
        case (.integer(let integer), 0): .real(Double(integer))
        case (.integer(let integer), 1): .integer(integer &+ 1)
        case (.real(let real), 0): Int64(exactly: real).map { .integer($0) } ?? value
        case (.real(let real), 1): .real(real.nextUp)
        case (.text(let text), _): .text(spelling(of: text))
        default: value
        }
    }

    /// A text of the data, or a piece of one, in one of its spellings.
    private mutating func sampleText() -> String {
        guard case .text(let text)? = sample({ if case .text = $0 { true } else { false } }) else {
            return ""
        }
        return spelling(of: text)
    }

    private mutating func spelling(of text: String) -> String {
        var text = text
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: text = String(text.prefix(1))
        case 1: text = String(text.suffix(1))
        case 2: text = String(text.dropFirst().dropLast())
        default: break
        }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return text.uppercased()
        case 1: return text.lowercased()
        case 2: return TextSpelling.decomposed(text)
        case 3: return TextSpelling.withoutMarks(text)
        default: return text
        }
    }

    private mutating func computed(
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

    private mutating func aggregate(
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

    /// A key path that ends in a to-many relationship, to an entity if one is asked for.
    private mutating func collection(
        _ scopes: [Scope], leadingTo name: String?
    ) throws -> PredicateExpression.Path? {
        let scope = any(scopes)
        for _ in 0..<8 {
            var entity = scope.entity
            var names: [String] = []
            for _ in 0..<3 where !entity.relationships.isEmpty {
                let relationship = any(entity.relationships)
                names.append(relationship.name)
                entity = try model.requireEntity(named: relationship.destinationEntityName)
                if relationship.isToMany, name == nil || name == entity.name, chance(2) {
                    return PredicateExpression.Path(names.joined(separator: "."), from: scope.variable)
                }
            }
        }
        return nil
    }

    private func end(of path: PredicateExpression.Path, _ scopes: [Scope]) throws -> EntityDescription {
        var entity = (scopes.last { $0.variable == path.variable } ?? scopes[0]).entity
        for name in path.names.split(separator: ".") {
            if let relationship = entity.relationship(named: String(name)) {
                entity = try model.requireEntity(named: relationship.destinationEntityName)
            }
        }
        return entity
    }

    /// A key path through to-one relationships to values of a kind; nil if none was found.
    private mutating func names(of kind: Kind, from start: EntityDescription) throws -> String? {
        for _ in 0..<6 {
            var entity = start
            var names: [String] = []
            for _ in 0..<Int.random(in: 0...2, using: &generator) where !entity.toOneRelationships.isEmpty {
                let relationship = any(entity.toOneRelationships)
                names.append(relationship.name)
                entity = try model.requireEntity(named: relationship.destinationEntityName)
            }
            let found: [String]
            switch kind {
            case .number:
                found = entity.attributes.filter { ![.string, .binaryData, .uuid].contains($0.type) }.map(
                    \.name)
            case .text: found = entity.attributes.filter { $0.type == .string }.map(\.name)
            case .bytes:
                found = entity.attributes.filter { [.binaryData, .uuid].contains($0.type) }.map(\.name)
            case .object(let name):
                found =
                    entity.toOneRelationships.filter { $0.destinationEntityName == name }.map(\.name)
                    + (entity.name == name ? ["objectID"] : [])
            }
            guard let last = found.isEmpty ? nil : any(found) else { continue }
            return (names + [last]).joined(separator: ".")
        }
        return nil
    }
}

extension StoredValue {
    /// The value as a number, if it is one.
    fileprivate var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }
}
