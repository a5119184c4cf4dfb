import ObjectModel

extension PredicateTree {
    /// Returns the tree with some expressions replaced.
    ///
    /// - Parameter body: Returns the replacement of an expression, or nil to keep it and continue with its
    ///   parts.
    package func transformed(_ body: (PredicateExpression) -> PredicateExpression?) -> PredicateTree {
        switch self {
        case .constant: return self
        case .and(let parts): return .and(parts.map { $0.transformed(body) })
        case .or(let parts): return .or(parts.map { $0.transformed(body) })
        case .not(let part): return .not(part.transformed(body))
        case .comparison(var comparison):
            comparison.left = comparison.left.transformed(body)
            comparison.right = comparison.right.transformed(body)
            return .comparison(comparison)
        }
    }
}

extension PredicateExpression {
    /// Returns the expression with its parts, or itself, replaced.
    package func transformed(_ body: (PredicateExpression) -> PredicateExpression?) -> PredicateExpression {
        if let other = body(self) { return other }
        switch self {
        case .constant, .object, .keyPath, .variable: return self
        case .list(let elements): return .list(elements.map { $0.transformed(body) })
        case .arithmetic(let arithmetic, let left, let right):
            return .arithmetic(arithmetic, left.transformed(body), right.transformed(body))
        case .function(let function, let argument): return .function(function, argument.transformed(body))
        case .aggregate(let aggregate, var collection):
            if let filter = collection.filter {
                collection.filter = Filter(filter.variable, filter.predicate.transformed(body))
            }
            return .aggregate(aggregate, collection)
        }
    }
}
