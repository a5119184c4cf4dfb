extension RequestCompiler {
    /// How much of a predicate SQLite's parser can hold at a time: its stack has 100 places up to version
    /// 3.45, and the statement around the predicate needs some.
    private static let maximumNesting = 80

    /// How many parts of a conjunction or disjunction stand side by side before they are halved. SQLite takes
    /// a chain for a tree as deep as it is long, of at most 1,000.
    static let maximumChain = 256

    /// Makes sure that SQLite can parse a predicate's SQL.
    ///
    /// - Throws: ``ObjectStorageError`` for one that is nested too deep.
    static func checkNesting(of tree: PredicateTree, entityName: String) throws(ObjectStorageError) {
        guard tree.nesting > maximumNesting else { return }
        throw ObjectStorageError(
            .invalidPredicate,
            "The predicate is nested too deep for SQLite: \(tree.nesting) places of \(maximumNesting). A SUBQUERY or a quantifier takes about 12, NOT and a function 3 or 4. Take some levels out.",
            entityName: entityName)
    }
}

// The costs are the places on the stack that SQLite 3.40 needs for what is written before the inner part.

extension PredicateTree {
    /// The places that the deepest part of the predicate's SQL needs.
    fileprivate var nesting: Int {
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
    fileprivate var nesting: Int {
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
    fileprivate var nesting: Int {
        switch self {
        case .constant, .object, .variable: return 1
        // An operand of arithmetic is checked by a function; after IN there is a subquery.
        case .keyPath: return 4
        case .list(let elements): return elements.map(\.nesting).max() ?? 1
        case .arithmetic(_, let left, let right): return max(1 + left.nesting, 3 + right.nesting)
        case .function(_, let argument): return 3 + argument.nesting
        case .aggregate(_, let collection): return 9 + max(4, collection.filter?.predicate.nesting ?? 0)
        }
    }
}
