import ObjectStorage
import CheckSupport

/// Random key paths through the model.
extension PredicateGenerator {
    /// Returns a key path that ends in a to-many relationship, to the named entity if a name is given; nil if
    /// none is found.
    mutating func collection(
        _ scopes: [Scope], leadingTo name: String?
    ) throws -> PredicateExpression.Path? {
        let scope = any(scopes)
        for _ in 0..<8 {
            var entity = scope.entity
            var names: [String] = []
            for _ in 0..<3 where !entity.relationships.isEmpty {
                let relationship = any(entity.relationships)
                names.append(relationship.name)
                entity = try model.requireEntity(named: relationship.destinationEntityName)
                if relationship.isToMany, name == nil || name == entity.name, chance(2) {
                    return PredicateExpression.Path(names.joined(separator: "."), from: scope.variable)
                }
            }
        }
        return nil
    }

    func end(of path: PredicateExpression.Path, _ scopes: [Scope]) throws -> EntityDescription {
        var entity = (scopes.last { $0.variable == path.variable } ?? scopes[0]).entity
        for name in path.names.split(separator: ".") {
            if let relationship = entity.relationship(named: String(name)) {
                entity = try model.requireEntity(named: relationship.destinationEntityName)
            }
        }
        return entity
    }

    /// Returns a key path through to-one relationships to values of a kind, or nil if none is found.
    mutating func names(of kind: Kind, from start: EntityDescription) throws -> String? {
        for _ in 0..<6 {
            var entity = start
            var names: [String] = []
            for _ in 0..<Int.random(in: 0...2, using: &generator) where !entity.toOneRelationships.isEmpty {
                let relationship = any(entity.toOneRelationships)
                names.append(relationship.name)
                entity = try model.requireEntity(named: relationship.destinationEntityName)
            }
            let found: [String]
            switch kind {
            case .number:
                found = entity.attributes.filter { ![.string, .binaryData, .uuid].contains($0.type) }.map(
                    \.name)
            case .text: found = entity.attributes.filter { $0.type == .string }.map(\.name)
            case .bytes:
                found = entity.attributes.filter { [.binaryData, .uuid].contains($0.type) }.map(\.name)
            case .object(let name):
                found =
                    entity.toOneRelationships.filter { $0.destinationEntityName == name }.map(\.name)
                    + (entity.name == name ? ["objectID"] : [])
            }
            guard let last = found.isEmpty ? nil : any(found) else { continue }
            return (names + [last]).joined(separator: ".")
        }
        return nil
    }
}
