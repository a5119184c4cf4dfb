package import ObjectModel

extension RequestDescription {
    /// A key path of one or more to-one relationships through which a request reads other objects.
    package struct RelatedPath: Hashable, Sendable {
        /// The names of the relationships.
        package let path: [String]
        /// The name of the entity at its end.
        package let entityName: String
    }

    /// Returns the to-one relationships through which the predicate, the order, further expressions and the
    /// displayed key paths read.
    ///
    /// Properties that are read through to-many relationships or by a subquery are not included.
    ///
    /// - Parameter expressions: The further expressions.
    package func relatedPaths(
        model: ManagedObjectModel, and expressions: [KeyExpression]
    ) -> [RelatedPath] {
        var paths: [RelatedPath] = []
        for name in keyPaths(and: expressions) + displayedPaths {
            for path in relatedPaths(along: name, model) where !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    /// Returns the names of the properties, of any entity, that the predicate, the order and further
    /// expressions read.
    ///
    /// - Parameter expressions: The further expressions.
    package func propertiesRead(and expressions: [KeyExpression]) -> Set<String> {
        Set(keyPaths(and: expressions).flatMap { $0.split(separator: ".").map(String.init) })
    }

    /// Returns the key paths from the entity that the predicate, the order and further expressions read.
    private func keyPaths(and expressions: [KeyExpression]) -> [String] {
        var names = (self.expressions + expressions).flatMap(\.simple).map(\.path)
        _ = predicate?.transformed { expression in
            switch expression {
            case .keyPath(let path) where path.variable == nil: names.append(path.names)
            case .aggregate(_, let collection) where collection.path.variable == nil:
                names.append(collection.path.names)
            default: break
            }
            return nil
        }
        return names
    }

    private func relatedPaths(along names: String, _ model: ManagedObjectModel) -> [RelatedPath] {
        var paths: [RelatedPath] = []
        var walked: [String] = []
        var entity = model.list(named: entityName)
        // The last name is a property of the object to which the others lead.
        for name in names.split(separator: ".").dropLast() {
            guard let relationship = entity?.relationship(named: String(name)), !relationship.isToMany
            else { break }
            walked.append(relationship.name)
            paths.append(RelatedPath(path: walked, entityName: relationship.destinationEntityName))
            entity = model.entity(named: relationship.destinationEntityName)
        }
        return paths
    }
}
