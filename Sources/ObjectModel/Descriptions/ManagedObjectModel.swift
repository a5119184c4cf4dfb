import InternalUtilities

/// The shape of the data of a store: its entities and how they hang together.
///
/// A model is checked when it is made, so that everything after may rely on it: names are usable,
/// destinations and inverses exist and agree.
public struct ManagedObjectModel: Sendable {
    /// The entities in the order of declaration.
    public let entities: [EntityDescription]
    /// The digest of each entity's version.
    let entityDigests: [[UInt8]]
    /// Whether any entity's rows are in a table that somebody else made.
    package let hasExistingTables: Bool

    /// Makes a model of entities and checks it. An inverse declared on one side only is added on the other,
    /// and each entity gets what it inherits.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel``, naming entity and
    ///   property.
    public init(entities: [EntityDescription]) throws(ObjectStorageError) {
        let isCompleted = entities.contains { $0.hierarchy != nil }
        let declared = isCompleted ? entities.map(\.withoutInheritance) : entities
        let completed = try Self.completingInheritance(of: Self.completingInverses(of: declared))
        self.entities = completed
        entityDigests = completed.map(\.versionDigest)
        hasExistingTables = completed.contains { $0.mapping != nil }
        try validate()
    }

    /// A model of entities that were checked.
    init(entities: [EntityDescription], entityDigests: [[UInt8]]) {
        self.entities = entities
        self.entityDigests = entityDigests
        hasExistingTables = entities.contains { $0.existingTable != nil }
    }

    /// Whether any relationship must lead to a certain number of objects.
    var hasAllowedCounts: Bool {
        entities.contains { $0.relationships.contains { $0.allowedCount != nil } }
    }

    /// The entity called `name`, if there is one.
    public func entity(named name: String) -> EntityDescription? {
        entities.first { $0.name == name }
    }

    /// The entity called `name`.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/unknownEntity`` and the nearest name.
    public func requireEntity(named name: String) throws(ObjectStorageError) -> EntityDescription {
        if let entity = entity(named: name) { return entity }
        throw ObjectStorageError(
            .unknownEntity,
            "The model has no entity “\(name)”. "
                + NearestName.suggestion(for: name, among: entities.map(\.name)),
            entityName: name)
    }

    private static func completingInverses(
        of entities: [EntityDescription]
    ) throws(ObjectStorageError) -> [EntityDescription] {
        var relationships = entities.map(\.relationships)
        for (position, entity) in entities.enumerated() {
            for relationship in entity.relationships {
                guard let inverseName = relationship.inverseName,
                    let other = entities.firstIndex(where: { $0.name == relationship.destinationEntityName }),
                    let place = relationships[other].firstIndex(where: { $0.name == inverseName })
                else { continue }
                let inverse = relationships[other][place]
                if inverse.inverseName == nil, inverse.destinationEntityName == entities[position].name {
                    relationships[other][place] = inverse.withInverse(relationship.name)
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
