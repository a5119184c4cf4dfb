extension EntityDescription {
    /// The names of all entities that inherit from this one, directly or not; none before the entity is part
    /// of a model.
    public var subentityNames: [String] { hierarchy?.descendants.map(\.name) ?? [] }

    /// The names of the entity and of all that inherit from it.
    var familyNames: [String] { [name] + subentityNames }

    /// Whether each object of this entity is also one of the entity called `name`: that is itself, or one
    /// that it inherits from.
    public func isKind(ofEntityNamed name: String) -> Bool {
        name == self.name || hierarchy?.ancestorNames.contains(name) == true
    }

    /// Whether other entities inherit from this one.
    package var hasSubentities: Bool { hierarchy?.descendants.isEmpty == false }

    /// Whether the rows of the entity called `name` are in the same table, so that equal keys are the same
    /// row.
    func sharesTable(withEntityNamed name: String) -> Bool {
        name == self.name || hierarchy?.memberNames.contains(name) == true
    }

    /// The attributes that the entity declares itself.
    var ownAttributes: ArraySlice<AttributeDescription> {
        attributes.dropFirst(hierarchy?.inheritedAttributeCount ?? 0)
    }

    /// The relationships that the entity declares itself.
    var ownRelationships: ArraySlice<RelationshipDescription> {
        relationships.dropFirst(hierarchy?.inheritedRelationshipCount ?? 0)
    }

    /// The entity as it was declared, before a model added what it inherits.
    var withoutInheritance: EntityDescription {
        guard hierarchy != nil else { return self }
        return EntityDescription(
            self, attributes: Array(ownAttributes), relationships: Array(ownRelationships),
            orderedToOneNames: [], hierarchy: nil)
    }

    /// The entity that declares a relationship: this one, or one that it inherits from.
    func declaringEntityName(ofRelationshipNamed name: String) -> String {
        guard let hierarchy, let place = relationships.firstIndex(where: { $0.name == name }) else {
            return self.name
        }
        return hierarchy.relationshipOwners[place]
    }

    /// The error for making an object of an entity that has none of its own.
    var isAbstractError: ObjectStorageError {
        var message = "Entity “\(name)” is abstract, so that only its sub-entities have objects. "
        message +=
            subentityNames.isEmpty
            ? "It has none." : "Insert one of: \(subentityNames.joined(separator: ", "))."
        if parentName != nil, objectClass != nil {
            message +=
                " If its class was not to be abstract: it inherits isAbstractEntity, which a superclass overrides best by comparing `self` with itself."
        }
        return ObjectStorageError(.invalidRequest, message, entityName: name)
    }
}

extension ManagedObjectModel {
    /// An entity and all that inherit from it, itself first.
    func family(of entity: EntityDescription) -> [EntityDescription] {
        guard entity.hasSubentities else { return [entity] }
        return [entity] + entities.filter { $0.name != entity.name && $0.isKind(ofEntityNamed: entity.name) }
    }

    /// Some entities' names with those of all that inherit from them.
    func namesOfFamilies(_ names: Set<String>) -> Set<String> {
        names.reduce(into: names) { names, name in
            names.formUnion(entity(named: name)?.subentityNames ?? [])
        }
    }

    /// The same model for a store that keeps rows of further entities in a table of this one's: then rows are
    /// told apart also where this model has one entity alone.
    func sharingTables(with kept: ManagedObjectModel) -> ManagedObjectModel {
        let entities = entities.map { entity in
            guard entity.hierarchy == nil, let root = kept.entity(named: entity.name)?.hierarchy?.rootName
            else { return entity }
            let hierarchy = EntityHierarchy(
                rootName: root, memberNames: [entity.name],
                relationshipOwners: entity.relationships.map { _ in entity.name })
            return EntityDescription(
                entity, attributes: entity.attributes, relationships: entity.relationships,
                orderedToOneNames: entity.orderedToOneNames, hierarchy: hierarchy)
        }
        return ManagedObjectModel(entities: entities, entityDigests: entityDigests)
    }
}
