import InternalUtilities

/// The description of a store's data: its entities and the relationships between them.
///
/// A model is validated on creation, so all later code can rely on it: names are usable, and destinations and
/// inverses exist and agree.
public struct ManagedObjectModel: Sendable {
    /// The entities in the order of declaration.
    public let entities: [EntityDescription]
    /// The digest of each entity's version.
    package let entityDigests: [[UInt8]]
    /// Whether the rows of any entity are in an external table of another program.
    package let hasExistingTables: Bool

    /// Creates a model from entities and validates it. An inverse that only one side declares is added to the
    /// other, and each entity gets its inherited properties.
    ///
    /// - Parameter entities: The entities, in the order that the model keeps. No two may have the same name.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, with the entity and
    ///   the property.
    public init(entities: [EntityDescription]) throws(ObjectStorageError) {
        let isCompleted = entities.contains { $0.hierarchy != nil }
        let declared = isCompleted ? entities.map(\.withoutInheritance) : entities
        let completed = try Self.completingInheritance(of: Self.completingInverses(of: declared))
        self.entities = completed
        entityDigests = completed.map(\.versionDigest)
        hasExistingTables = completed.contains { $0.mapping != nil }
        try validate()
    }

    /// Creates a model from entities that are already validated.
    package init(entities: [EntityDescription], entityDigests: [[UInt8]]) {
        self.entities = entities
        self.entityDigests = entityDigests
        hasExistingTables = entities.contains { $0.existingTable != nil }
    }

    /// Whether any relationship has bounds for the number of its objects.
    package var hasAllowedCounts: Bool {
        entities.contains { $0.relationships.contains { $0.allowedCount != nil } }
    }

    /// Returns the entity called `name`, if the model has one.
    ///
    /// - Parameter name: The name of an entity.
    /// - Complexity: O(*n*) in the number of entities.
    public func entity(named name: String) -> EntityDescription? {
        entities.first { $0.name == name }
    }

    /// Returns the entity called `name`.
    ///
    /// - Parameter name: The name of an entity.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/unknownEntity`` and the nearest name.
    /// - Complexity: O(*n*) in the number of entities.
    public func requireEntity(named name: String) throws(ObjectStorageError) -> EntityDescription {
        if let entity = entity(named: name) { return entity }
        throw unknownEntity(name)
    }

    private static func completingInverses(
        of entities: [EntityDescription]
    ) throws(ObjectStorageError) -> [EntityDescription] {
        var relationships = entities.map(\.relationships)
        for (position, entity) in entities.enumerated() {
            for relationship in entity.relationships {
                guard let inverseName = relationship.inverseName,
                    let other = entities.firstIndex(where: { $0.name == relationship.destinationEntityName }),
                    let index = relationships[other].firstIndex(where: { $0.name == inverseName })
                else { continue }
                let inverse = relationships[other][index]
                if inverse.inverseName == nil, inverse.destinationEntityName == entities[position].name {
                    relationships[other][index] = inverse.withInverse(relationship.name)
                }
            }
        }
        return zip(entities, relationships).map { entity, own in
            let ordered = own.filter { relationship in
                guard !relationship.isToMany, let inverse = relationship.inverseName,
                    let other = entities.firstIndex(where: { $0.name == relationship.destinationEntityName })
                else { return false }
                return relationships[other].first { $0.name == inverse }?.isOrdered == true
            }
            return EntityDescription(
                entity, attributes: entity.attributes, relationships: own,
                orderedToOneNames: ordered.map(\.name), hierarchy: nil)
        }
    }
}
