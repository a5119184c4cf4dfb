extension PredicateTree {
    /// Returns a comparison of the number of objects at the end of a key path, or of those that satisfy a
    /// predicate, with a constant.
    static func count(
        _ path: String, _ tree: PredicateTree?, _ relation: Relation, _ number: Int64
    ) -> PredicateTree {
        var collection = PredicateExpression.Collection(.init(path))
        if let tree {
            // The inner predicate may contain subqueries, whose variables must have other names.
            var variable = "x"
            while tree.names(variable) { variable += "x" }
            collection.filter = .init(variable, tree.beginning(at: variable))
        }
        return .comparison(.aggregate(.count, collection), relation, .value(.integer(number)))
    }

    /// Returns the tree as a quantified comparison, if it is a single comparison of a property with
    /// constants.
    func quantified(_ quantifier: Quantifier, of collection: String) -> PredicateTree? {
        guard case .comparison(var comparison) = self, comparison.quantifier == nil,
            case .keyPath(let path) = comparison.left, path.variable == nil
        else { return nil }
        switch comparison.right {
        case .constant, .object, .list: break
        default: return nil
        }
        let names = path.names == "objectID" ? collection : collection + "." + path.names
        comparison.left = .path(names)
        comparison.quantifier = quantifier
        return .comparison(comparison)
    }

    /// Returns whether the tree contains a variable of this name, including those of subqueries.
    private func names(_ variable: String) -> Bool {
        var isNamed = false
        _ = transformed { expression in
            switch expression {
            case .variable(let name): isNamed = isNamed || name == variable
            case .aggregate(_, let collection): isNamed = isNamed || collection.filter?.variable == variable
            default: break
            }
            return nil
        }
        return isNamed
    }

    /// Returns the tree with key paths that begin at a variable instead of the object.
    private func beginning(at variable: String) -> PredicateTree {
        transformed { expression in
            switch expression {
            case .keyPath(let path) where path.variable == nil:
                return .keyPath(.init(path.names, from: variable))
            case .aggregate(let aggregate, var collection) where collection.path.variable == nil:
                collection.path.variable = variable
                if let filter = collection.filter {
                    collection.filter = .init(filter.variable, filter.predicate.beginning(at: variable))
                }
                return .aggregate(aggregate, collection)
            default: return nil
            }
        }
    }
}
