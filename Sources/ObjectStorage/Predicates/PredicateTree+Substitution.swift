extension PredicateTree {
    /// The tree with values in the place of variables.
    ///
    /// - Throws: ``ObjectStorageError`` for a name that no variable has.
    package func substituting(_ values: [String: PredicateConstant]) throws(ObjectStorageError)
        -> PredicateTree
    {
        var substitution = Substitution(values: values)
        let tree = substitution.apply(to: self)
        let unused = values.keys.filter { !substitution.used.contains($0) }.sorted()
        if let name = unused.first {
            throw ObjectStorageError(
                .invalidPredicate,
                "The predicate “\(format)” has no variable $\(name). "
                    + NearestName.suggestion(for: name, among: substitution.names.sorted()))
        }
        return tree
    }

    /// The names of the variables that have no value yet, in order.
    package var variableNames: [String] {
        var substitution = Substitution(values: [:])
        _ = substitution.apply(to: self)
        return substitution.names.sorted()
    }
}

/// Walks through a tree, and notes which variables it met.
private struct Substitution {
    let values: [String: PredicateConstant]
    private(set) var names: Set<String> = []

    var used: Set<String> { names.intersection(values.keys) }

    mutating func apply(to tree: PredicateTree) -> PredicateTree {
        switch tree {
        case .constant: return tree
        case .and(let parts): return .and(parts.map { apply(to: $0) })
        case .or(let parts): return .or(parts.map { apply(to: $0) })
        case .not(let part): return .not(apply(to: part))
        case .comparison(var comparison):
            comparison.left = apply(to: comparison.left)
            comparison.right = apply(to: comparison.right)
            return .comparison(comparison)
        }
    }

    private mutating func apply(to expression: PredicateExpression) -> PredicateExpression {
        switch expression {
        case .constant, .object, .keyPath: return expression
        case .list(let elements): return .list(elements.map { apply(to: $0) })
        case .variable(let name):
            names.insert(name)
            return values[name]?.expression ?? expression
        case .arithmetic(let arithmetic, let left, let right):
            return .arithmetic(arithmetic, apply(to: left), apply(to: right))
        case .function(let function, let argument): return .function(function, apply(to: argument))
        case .aggregate(let aggregate, var collection):
            if let filter = collection.filter {
                collection.filter = PredicateExpression.Filter(filter.variable, apply(to: filter.predicate))
            }
            return .aggregate(aggregate, collection)
        }
    }
}
