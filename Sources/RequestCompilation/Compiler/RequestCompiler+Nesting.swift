package import ObjectModel

extension RequestCompiler {
    /// The parser stack entries that a predicate may use: SQLite's stack has 100 entries up to version 3.45,
    /// and the statement around the predicate needs some of them.
    private static let maximumNesting = 80

    /// The number of parts of a conjunction or disjunction that are joined in one chain. Longer ones are
    /// halved, because SQLite parses a chain as a tree as deep as its length, with a limit of 1,000.
    package static let maximumChain = 256

    /// Checks that SQLite can parse a predicate's SQL.
    ///
    /// - Throws: ``ObjectStorageError`` for a predicate that is nested too deeply.
    package static func checkNesting(of tree: PredicateTree, entityName: String) throws(ObjectStorageError) {
        guard tree.nesting > maximumNesting else { return }
        throw ObjectStorageError(
            .invalidPredicate,
            "The predicate is nested too deeply for SQLite: it needs \(tree.nesting) of \(maximumNesting) parser stack entries. A SUBQUERY or a quantifier needs about 12, NOT and a function 3 or 4. Remove some levels.",
            entityName: entityName)
    }
}

// The costs are the stack entries of SQLite 3.40's parser for the SQL text that precedes the inner part.

extension PredicateTree {
    /// The stack entries that the deepest part of the predicate's SQL needs.
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
        // A function checks an operand of arithmetic, and after IN follows a subquery.
        case .keyPath: return 4
        case .list(let elements): return elements.map(\.nesting).max() ?? 1
        case .arithmetic(_, let left, let right): return max(1 + left.nesting, 3 + right.nesting)
        case .function(_, let argument): return 3 + argument.nesting
        case .aggregate(_, let collection): return 9 + max(4, collection.filter?.predicate.nesting ?? 0)
        }
    }
}
