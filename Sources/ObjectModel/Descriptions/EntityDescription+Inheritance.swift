extension EntityDescription {
    /// The names of all entities that inherit from this one, directly or indirectly; empty for an entity that
    /// is not yet part of a model.
    public var subentityNames: [String] { hierarchy?.descendants.map(\.name) ?? [] }

    /// The names of the entity and of all entities that inherit from it.
    package var familyNames: [String] { [name] + subentityNames }

    /// Returns whether each object of this entity is also one of the entity called `name`: of this entity
    /// itself, or of one from which it inherits.
    ///
    /// - Parameter name: The name of an entity. The result for an unknown name is false.
    public func isKind(ofEntityNamed name: String) -> Bool {
        name == self.name || hierarchy?.ancestorNames.contains(name) == true
    }

    /// Whether other entities inherit from this one.
    package var hasSubentities: Bool { hierarchy?.descendants.isEmpty == false }

    /// Returns whether the rows of the entity called `name` are in the same table, so that equal keys
    /// identify the same row.
    package func sharesTable(withEntityNamed name: String) -> Bool {
        name == self.name || hierarchy?.memberNames.contains(name) == true
    }

    /// The attributes that the entity itself declares.
    package var ownAttributes: ArraySlice<AttributeDescription> {
        attributes.dropFirst(hierarchy?.inheritedAttributeCount ?? 0)
    }

    /// The relationships that the entity itself declares.
    package var ownRelationships: ArraySlice<RelationshipDescription> {
        relationships.dropFirst(hierarchy?.inheritedRelationshipCount ?? 0)
    }

    /// The entity as it was declared, before a model added what it inherits.
    package var withoutInheritance: EntityDescription {
        guard hierarchy != nil else { return self }
        return EntityDescription(
            self, attributes: Array(ownAttributes), relationships: Array(ownRelationships),
            orderedToOneNames: [], hierarchy: nil)
    }

    /// Returns the name of the entity that declares a relationship: this one, or one from which it inherits.
    package func declaringEntityName(ofRelationshipNamed name: String) -> String {
        guard let hierarchy, let position = relationships.firstIndex(where: { $0.name == name }) else {
            return self.name
        }
        return hierarchy.relationshipOwners[position]
    }

    /// The error for inserting an object of an abstract entity.
    package var isAbstractError: ObjectStorageError {
        var message = "Entity “\(name)” is abstract, so that only its sub-entities have objects. "
        message +=
            subentityNames.isEmpty
            ? "It has none." : "Insert one of: \(subentityNames.joined(separator: ", "))."
        if parentName != nil, objectClass != nil {
            message +=
                " If its class should not be abstract: it inherits isAbstractEntity; implement that as `self == Parent.self` in the superclass that overrides it."
        }
        return ObjectStorageError(.invalidRequest, message, entityName: name)
    }
}

extension ManagedObjectModel {
    /// Returns an entity and all entities that inherit from it, the entity itself first.
    package func family(of entity: EntityDescription) -> [EntityDescription] {
        guard entity.hasSubentities else { return [entity] }
        return [entity] + entities.filter { $0.name != entity.name && $0.isKind(ofEntityNamed: entity.name) }
    }

    /// Returns the given names with those of all entities that inherit from these entities.
    package func namesOfFamilies(_ names: Set<String>) -> Set<String> {
        names.reduce(into: names) { names, name in
            names.formUnion(entity(named: name)?.subentityNames ?? [])
        }
    }

    /// Returns this model for a store in which the table of an entity also holds rows of further entities.
    /// Statements then select rows by their entity even where this model has only one entity in the table.
    package func sharingTables(with kept: ManagedObjectModel) -> ManagedObjectModel {
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
