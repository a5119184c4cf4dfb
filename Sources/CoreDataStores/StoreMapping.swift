import ObjectStorage
import ModelReading

/// The model of a store with the tables and columns of its properties, which are found by Core Data's rules
/// for names.
struct StoreMapping {
    /// The relationships, attributes and columns of one entity, without inherited ones.
    struct Entity {
        /// The entity as the store's model describes it.
        let description: EntityDescription
        /// The table and the number of the entity.
        let placement: EntityPlacements.Placement
        /// The attributes that are still part of the model.
        var attributes: [AttributeDescription]
        /// The relationships that are still part of the model.
        var relationships: [RelationshipDescription]
        /// The columns of attributes and to-one relationships.
        var columns: [String: String] = [:]
        /// The columns of positions, by to-one relationship.
        var orderColumns: [String: String] = [:]
        /// The tables of pairs, by to-many relationship.
        var links: [String: ExistingLinkTable] = [:]
        /// The attributes that may have values in files.
        var externalAttributes: Set<String>

        /// Returns whether an attribute or relationship is still part of the model.
        func has(_ property: String) -> Bool {
            attributes.contains { $0.name == property } || relationships.contains { $0.name == property }
        }
    }

    /// An assignment of a table, a number or a column that may be that of another part of the model.
    struct Doubt {
        /// The entity.
        let entityName: String
        /// The property; nil for the entity itself.
        let property: String?
        /// The reason, as a sentence.
        let reason: String
    }

    /// The entities by their names.
    var entities: [String: Entity] = [:]
    /// The tables of pairs in which relationships are stored.
    var linkTables: Set<String> = []
    /// The columns in which relationships without an inverse are stored, by table.
    var linkColumns: [String: Set<String>] = [:]
    /// The parts that the model lacks.
    var unreadableParts: [UnreadableStorePart]
    /// The assignments that fit the store, but are not certain. Rows are read by them, and not written.
    private(set) var doubts: [Doubt] = []
    /// The names of entities in the store that differ from the model's, keyed by the model's names.
    let renamedEntities: [String: String]
    /// The schema of the store.
    let tables: StoreTables
    /// The entities of the store's model by their names, also those that cannot be read.
    let described: [String: EntityDescription]
    /// The names of the properties of the store's model that cannot be read, by entity.
    let unknownProperties: [String: [String]]
    /// The entities without a parent from which another entity of the store's model inherits.
    let inheritedRoots: Set<String>
    /// The rules for writing; nil for reading.
    var rules: WritingRules?
    /// The parent of each entity.
    private let parents: [String: String]
    /// The names of the entities in the order of the model.
    private(set) var names: [String]

    /// The largest numbers of entities and properties. The model of Apple's Photos has 75 and 1,400.
    private static let maximum = (entities: 2_000, properties: 20_000)

    /// Finds the tables and columns of a model.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for a model that is too
    ///   large.
    /// - Complexity: O(*n*·log *n*) in the number of properties and columns.
    init(of model: StoredModel, in tables: StoreTables) throws(ObjectStorageError) {
        let count = model.entities.reduce(0) { $0 + $1.attributes.count + $1.relationships.count }
        guard model.entities.count <= Self.maximum.entities, count <= Self.maximum.properties else {
            throw ObjectStorageError(
                .invalidModel,
                "The model has \(model.entities.count) entities and \(count) properties; up to \(Self.maximum.entities) and \(Self.maximum.properties) are read. Check whether the store is damaged."
            )
        }
        self.tables = tables
        let placements = EntityPlacements(of: model.entities, in: tables)
        renamedEntities = placements.renamedEntities
        unreadableParts = placements.unreadableParts
        doubts = placements.doubts.sorted { $0.key < $1.key }.map {
            Doubt(entityName: $0.key, property: nil, reason: $0.value)
        }
        parents = model.entities.reduce(into: [:]) { $0[$1.name] = $1.parentName }
        let described = model.entities.reduce(into: [:]) { $0[$1.name] = $1 }
        self.described = described
        let parents = parents
        inheritedRoots = Set(
            described.keys.filter { parents[$0] != nil }
                .compactMap { EntityPlacements.lineage(of: $0, parents).last })
        unknownProperties = model.unsupportedParts.reduce(into: [:]) { names, part in
            guard part.kind == .unknown, let entity = part.entityName, let property = part.propertyName,
                described[entity]?.attributes.contains(where: { $0.name == property }) == false
            else { return }
            names[entity, default: []].append(property)
        }
        names = model.entities.map(\.name).filter { placements.placements[$0] != nil }
        for entity in model.entities {
            guard let placement = placements.placements[entity.name] else { continue }
            entities[entity.name] = Entity(
                description: entity, placement: placement, attributes: entity.attributes,
                relationships: entity.relationships,
                externalAttributes: model.externalAttributes[entity.name] ?? [])
        }
        for part in model.unsupportedParts where part.isPropertyMissing || part.kind == .unknown {
            guard let name = part.entityName, part.kind != .fetchedProperty, entities[name] != nil else {
                continue
            }
            refuse(name, part.propertyName, part.part)
        }
        removeUnplacedDestinations()
        removeContradictoryInverses()
        findColumns()
        findOrderColumns()
        findLinks()
    }

    /// Records a part that cannot be read. A later reason replaces an earlier reason.
    mutating func refuse(_ entity: String, _ property: String?, _ reason: String) {
        unreadableParts.removeAll { $0.entityName == entity && $0.propertyName == property }
        unreadableParts.append(UnreadableStorePart(entity, property, reason))
    }

    /// Records that an assignment is not certain.
    mutating func doubt(_ entityName: String, _ property: String, _ reason: String) {
        doubts.append(Doubt(entityName: entityName, property: property, reason: reason))
    }

    /// Returns the names of an entity and of its ancestors, the nearest first.
    func lineage(of name: String) -> [String] { EntityPlacements.lineage(of: name, parents) }

    /// The entities of the store's model by the entities at the top of their hierarchies, in the order of
    /// their names.
    var hierarchies: [(rootName: String, members: [EntityDescription])] {
        let groups = Dictionary(grouping: described.values) { lineage(of: $0.name).last ?? $0.name }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted { $0.name < $1.name }) }
    }

    /// Returns whether two entities are equal, or one inherits from the other.
    func areRelated(_ first: String, _ second: String) -> Bool {
        lineage(of: first).contains(second) || lineage(of: second).contains(first)
    }

    /// Returns the inverse of a relationship, with the entity that declares it; nil if there is none.
    func inverse(of relationship: RelationshipDescription) -> (owner: String, RelationshipDescription)? {
        guard let name = relationship.inverseName else { return nil }
        for owner in lineage(of: relationship.destinationEntityName) {
            if let inverse = entities[owner]?.relationships.first(where: { $0.name == name }) {
                return (owner, inverse)
            }
        }
        return nil
    }

    /// Removes a property. A to-many inverse that is stored in the property is removed as well.
    mutating func remove(_ property: String, of entityName: String, because reason: String) {
        guard var entity = entities[entityName] else { return }
        let back = entity.relationships.first { $0.name == property }.flatMap { inverse(of: $0) }
        entity.attributes.removeAll { $0.name == property }
        entity.relationships.removeAll { $0.name == property }
        entities[entityName] = entity
        refuse(entityName, property, reason)
        guard let (owner, other) = back, other.name != property || owner != entityName else { return }
        if other.isToMany {
            remove(other.name, of: owner, because: "its inverse “\(entityName).\(property)” is not readable.")
        } else {
            replace(other.with(inverse: nil), of: owner)
        }
    }

    /// Removes an entity and its descendants, and the relationships to them.
    mutating func removeEntity(_ name: String, because reason: String) {
        let removed = names.filter { lineage(of: $0).contains(name) }
        for name in removed {
            entities[name] = nil
            refuse(name, nil, reason)
        }
        names.removeAll(where: removed.contains)
        removeUnplacedDestinations()
    }

    /// Replaces a relationship by one with the same name.
    mutating func replace(_ relationship: RelationshipDescription, of entityName: String) {
        guard
            let position = entities[entityName]?.relationships.firstIndex(where: {
                $0.name == relationship.name
            })
        else { return }
        entities[entityName]?.relationships[position] = relationship
    }

    private mutating func removeUnplacedDestinations() {
        for name in names {
            for relationship in entities[name]?.relationships ?? []
            where entities[relationship.destinationEntityName] == nil {
                remove(
                    relationship.name, of: name,
                    because: "the entity “\(relationship.destinationEntityName)” is not in the store.")
            }
        }
    }

    /// Removes inverses that do not lead back to the entity that declares the relationship.
    private mutating func removeContradictoryInverses() {
        // Each round can make other inverses contradictory. The model's validation finds the remaining ones.
        for _ in 0..<100 {
            var isSettled = true
            for name in names {
                for relationship in entities[name]?.relationships ?? [] where relationship.inverseName != nil
                {
                    let back = inverse(of: relationship)?.1
                    if back?.destinationEntityName == name, back?.inverseName == relationship.name {
                        continue
                    }
                    replace(relationship.with(inverse: nil), of: name)
                    isSettled = false
                }
            }
            if isSettled { return }
        }
    }
}

extension RelationshipDescription {
    /// Returns the relationship with another inverse, or without one.
    func with(inverse: String?) -> Self {
        Self(
            name: name, destinationEntityName: destinationEntityName, inverseName: inverse,
            isToMany: isToMany, isOptional: isOptional, isOrdered: isOrdered, deleteRule: deleteRule,
            allowedCount: allowedCount, renamingIdentifier: renamingIdentifier)
    }

    /// The relationship without an order.
    var unordered: Self {
        Self(
            name: name, destinationEntityName: destinationEntityName, inverseName: inverseName,
            isToMany: isToMany, isOptional: isOptional, isOrdered: false, deleteRule: deleteRule,
            allowedCount: allowedCount, renamingIdentifier: renamingIdentifier)
    }
}
