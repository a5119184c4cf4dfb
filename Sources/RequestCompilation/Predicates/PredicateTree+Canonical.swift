package import ObjectModel

extension PredicateTree {
    /// The version of the meaning of predicates. Increase it when a predicate with the same text changes its
    /// meaning.
    private static let semanticsVersion: Int64 = 2

    /// Appends the tree with its constants and the versions of the text rules, so that two trees have equal
    /// bytes exactly if they select the same objects by the same rules.
    package func encode(into encoder: inout CanonicalEncoder) {
        encoder.append("predicate")
        encoder.append(Self.semanticsVersion)
        append(to: &encoder)
    }

    fileprivate func append(to encoder: inout CanonicalEncoder) {
        switch self {
        case .constant(let value):
            encoder.append("constant")
            encoder.append(value)
        case .comparison(let comparison):
            encoder.append("comparison")
            comparison.append(to: &encoder)
        case .and(let parts): Self.append("and", parts, to: &encoder)
        case .or(let parts): Self.append("or", parts, to: &encoder)
        case .not(let part): Self.append("not", [part], to: &encoder)
        }
    }

    private static func append(_ name: String, _ parts: [PredicateTree], to encoder: inout CanonicalEncoder) {
        encoder.append(name)
        encoder.appendList(count: parts.count)
        for part in parts { part.append(to: &encoder) }
    }
}

extension PredicateTree.Comparison {
    fileprivate func append(to encoder: inout CanonicalEncoder) {
        encoder.append(relation.rawValue)
        encoder.append(Int64(options.rawValue))
        encoder.append(quantifier?.rawValue ?? "")
        // Plain comparisons depend on bytes only; all others depend on Unicode's tables.
        if !options.isEmpty || relation == .like || relation == .matches {
            encoder.append(TextMatching.version)
        }
        left.append(to: &encoder)
        right.append(to: &encoder)
    }
}

extension PredicateExpression {
    fileprivate func append(to encoder: inout CanonicalEncoder) {
        switch self {
        case .constant(let value):
            encoder.append("value")
            encoder.append(value)
        case .object(let objectID):
            encoder.append("object")
            encoder.append(objectID.current.description)
        case .list(let elements):
            encoder.append("list")
            encoder.appendList(count: elements.count)
            for element in elements { element.append(to: &encoder) }
        case .keyPath(let path):
            encoder.append("path")
            path.append(to: &encoder)
        case .variable(let name):
            encoder.append("variable")
            encoder.append(name)
        case .arithmetic(let arithmetic, let left, let right):
            encoder.append("arithmetic")
            encoder.append(arithmetic.rawValue)
            left.append(to: &encoder)
            right.append(to: &encoder)
        case .function(let function, let argument):
            encoder.append("function")
            encoder.append(function.rawValue)
            if function != .absolute { encoder.append(TextMatching.version) }
            argument.append(to: &encoder)
        case .aggregate(let aggregate, let collection):
            encoder.append("aggregate")
            encoder.append(aggregate.word)
            encoder.append(aggregate.attributePath ?? "")
            collection.path.append(to: &encoder)
            encoder.append(collection.filter != nil)
            if let filter = collection.filter {
                encoder.append(filter.variable)
                filter.predicate.append(to: &encoder)
            }
        }
    }
}

extension PredicateExpression.Path {
    fileprivate func append(to encoder: inout CanonicalEncoder) {
        encoder.append(variable != nil)
        encoder.append(variable ?? "")
        encoder.append(names)
    }
}
