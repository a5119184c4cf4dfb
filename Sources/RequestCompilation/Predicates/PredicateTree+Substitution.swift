import InternalUtilities
package import ObjectModel

extension PredicateTree {
    /// Returns the tree with values in place of variables.
    ///
    /// - Throws: ``ObjectStorageError`` for a name that no variable has.
    package func substituting(_ values: [String: PredicateConstant]) throws(ObjectStorageError)
        -> PredicateTree
    {
        let names = variableNames
        let unknown = values.keys.filter { !names.contains($0) }.sorted()
        if let name = unknown.first {
            throw ObjectStorageError(
                .invalidPredicate,
                "The predicate “\(format)” has no variable $\(name). "
                    + NearestName.suggestion(for: name, among: names))
        }
        return transformed { expression in
            if case .variable(let name) = expression { values[name]?.expression } else { nil }
        }
    }

    /// The names of the variables that have no value, sorted, each once.
    package var variableNames: [String] {
        var names: Set<String> = []
        _ = transformed { expression in
            if case .variable(let name) = expression { names.insert(name) }
            return nil
        }
        return names.sorted()
    }
}
