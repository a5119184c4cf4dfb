package import ObjectModel

extension PredicateTree {
    /// The version of the meaning of predicates. Increase it when a predicate with the same text changes its
    /// meaning.
    private static let semanticsVersion: Int64 = 2

    /// Appends the tree with its constants and the versions of the text rules, so that two trees with equal
    /// bytes select the same objects by the same rules.
    package func encode(into encoder: inout CanonicalEncoder) {
        encoder.append("predicate")
        encoder.append(Self.semanticsVersion)
        append(to: &encoder)
    }

    func append(to encoder: inout CanonicalEncoder) {
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
    func append(to encoder: inout CanonicalEncoder) {
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
