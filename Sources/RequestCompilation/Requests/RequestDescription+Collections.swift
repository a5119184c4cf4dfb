package import ObjectModel

extension RequestDescription {
    /// A relationship on a key path that leads through to-many relationships.
    package struct CollectionStep: Hashable, Sendable {
        /// The form in which a relationship is stored.
        package enum Storage: Hashable, Sendable {
            /// The object has a reference.
            case reference
            /// The objects to which the relationship leads have references to the object.
            case inverseReference
            /// A link table has the keys of both objects.
            case link(isForward: Bool)
        }

        /// The names of the relationships from the entity of the request up to and including this one.
        package let path: [String]
        /// The entity to which the relationship leads.
        package let entityName: String
        /// The table of that entity's objects.
        package let tableName: String
        /// The link table, if the relationship has one.
        package let linkTableName: String?
        /// The form in which the relationship is stored.
        package let storage: Storage
    }

    /// Returns each relationship of the predicate's key paths that lead through to-many relationships, those
    /// of a `SUBQUERY` included.
    package func collectionSteps(model: ManagedObjectModel) -> [CollectionStep] {
        steps(along: predicate?.absolutePaths ?? [], model)
    }

    /// Returns each relationship through which the order and further expressions compute values from related
    /// objects.
    ///
    /// - Parameter expressions: The further expressions.
    package func aggregateSteps(
        model: ManagedObjectModel, and expressions: [KeyExpression]
    ) -> [CollectionStep] {
        let simple = (self.expressions + expressions).flatMap(\.simple)
        return steps(along: simple.compactMap { $0.aggregate?.path.names }, model)
    }

    /// Returns each relationship of the displayed key paths that lead through to-many relationships.
    package func displayedSteps(model: ManagedObjectModel) -> [CollectionStep] {
        steps(along: displayedPaths.map(\.names), model)
    }

    private func steps(along paths: [[String]], _ model: ManagedObjectModel) -> [CollectionStep] {
        guard let entity = model.list(named: entityName) else { return [] }
        var steps: [CollectionStep] = []
        for path in paths where model.endOfCollection(path, from: entity) > 0 {
            for step in Self.steps(along: path, from: entity, model) where !steps.contains(step) {
                steps.append(step)
            }
        }
        return steps
    }

    private static func steps(
        along path: [String], from entity: EntityDescription, _ model: ManagedObjectModel
    ) -> [CollectionStep] {
        var entity = entity
        var steps: [CollectionStep] = []
        for (position, name) in path.enumerated() {
            guard let relationship = entity.relationship(named: name),
                let next = model.entity(named: relationship.destinationEntityName)
            else { break }
            let link = model.linkEnd(of: relationship, in: entity)
            steps.append(
                CollectionStep(
                    path: Array(path[...position]), entityName: next.name, tableName: next.tableName,
                    linkTableName: link?.table.name,
                    storage: link.map { .link(isForward: $0.isForward) }
                        ?? (relationship.isToMany ? .inverseReference : .reference)))
            entity = next
        }
        return steps
    }
}

extension PredicateTree {
    /// The key paths that the predicate reads, each from the object of the whole predicate: a path from the
    /// variable of a `SUBQUERY` follows that of its collection.
    fileprivate var absolutePaths: [[String]] { paths(from: [:]) }

    /// Returns the key paths, given those of the variables around the predicate.
    fileprivate func paths(from variables: [String: [String]]) -> [[String]] {
        switch self {
        case .constant: []
        case .comparison(let comparison):
            comparison.left.paths(from: variables) + comparison.right.paths(from: variables)
        case .and(let parts), .or(let parts): parts.flatMap { $0.paths(from: variables) }
        case .not(let part): part.paths(from: variables)
        }
    }
}

extension PredicateExpression {
    fileprivate func paths(from variables: [String: [String]]) -> [[String]] {
        switch self {
        case .constant, .object, .variable: return []
        case .list(let expressions): return expressions.flatMap { $0.paths(from: variables) }
        case .keyPath(let path): return [path.absolute(variables)]
        case .arithmetic(_, let left, let right):
            return left.paths(from: variables) + right.paths(from: variables)
        case .function(_, let expression): return expression.paths(from: variables)
        case .aggregate(let aggregate, let collection):
            let path = collection.path.absolute(variables)
            var paths = [path]
            if let attribute = aggregate.attributePath { paths.append(path + attribute.names) }
            if let filter = collection.filter {
                var inner = variables
                inner[filter.variable] = path
                paths += filter.predicate.paths(from: inner)
            }
            return paths
        }
    }
}

extension PredicateExpression.Path {
    /// Returns the names from the object of the whole predicate.
    fileprivate func absolute(_ variables: [String: [String]]) -> [String] {
        (variable.flatMap { variables[$0] } ?? []) + names.names
    }
}

extension String {
    /// The names of a dotted key path.
    fileprivate var names: [String] { split(separator: ".").map(String.init) }
}
