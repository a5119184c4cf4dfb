import ObjectModel

// The costs are the stack entries of SQLite 3.40's parser for the SQL text that precedes the inner part.

extension PredicateTree {
    /// The stack entries that the deepest part of the predicate's SQL needs.
    var nesting: Int {
        switch self {
        case .constant: return 1
        case .not(let part): return 1 + part.nesting
        case .comparison(let comparison): return comparison.nesting
        case .and(let parts), .or(let parts):
            var levels = 1
            var count = parts.count
            while count > RequestCompiler.maximumChain {
                count = (count + 1) / 2
                levels += 1
            }
            return 3 * levels + (parts.map(\.nesting).max() ?? 0)
        }
    }
}

extension PredicateTree.Comparison {
    var nesting: Int {
        let right: Int
        switch relation {
        case .between: right = 5 + self.right.nesting
        case .isIn: right = 6 + self.right.nesting
        default: right = (relation.comparesTexts ? 5 : 2) + self.right.nesting
        }
        let functions = (relation.comparesTexts ? 3 : 0) + (options.isEmpty ? 0 : 3)
        return 3 + (quantifier == nil ? 0 : 11) + functions + max(left.nesting, right)
    }
}

extension PredicateExpression {
    var nesting: Int {
        switch self {
        case .constant, .object, .variable: return 1
        // The cost includes the function that checks an operand of arithmetic, or the subquery after IN.
        case .keyPath: return 4
        case .list(let elements): return elements.map(\.nesting).max() ?? 1
        case .arithmetic(_, let left, let right): return max(1 + left.nesting, 3 + right.nesting)
        case .function(_, let argument): return 3 + argument.nesting
        case .aggregate(_, let collection): return 9 + max(4, collection.filter?.predicate.nesting ?? 0)
        }
    }
}
