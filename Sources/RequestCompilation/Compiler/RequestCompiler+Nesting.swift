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
