import InternalUtilities

extension ManagedObjectModel {
    /// Returns the entities with their inherited properties: the parent's properties come first.
    ///
    /// - Parameter entities: Entities with only the properties that they declare themselves, and with their
    ///   inverses.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/invalidModel`` for a parent that does
    ///   not exist, a cycle of inheritance, or a property that is inherited and declared again.
    package static func completingInheritance(
        of entities: [EntityDescription]
    ) throws(ObjectStorageError) -> [EntityDescription] {
        // Most models have no inheritance, and every program start takes this path.
        guard entities.contains(where: { $0.parentName != nil }) else { return entities }
        var lineages: [[EntityDescription]] = []
        for entity in entities { lineages.append(try lineage(of: entity, among: entities)) }
        var completed: [EntityDescription] = []
        for (entity, lineage) in zip(entities, lineages) {
            try refuseRedeclarations(in: entity, lineage)
            let root = lineage.last ?? entity
            let members = zip(entities, lineages).filter { ($1.last ?? $0).name == root.name }
            guard members.count > 1 else {
                completed.append(entity)
                continue
            }
            let inherited = Array(lineage.reversed())
            let all = inherited + [entity]
            let hierarchy = EntityHierarchy(
                rootName: root.name,
                memberNames: [root.name] + members.map(\.0.name).filter { $0 != root.name },
                ancestorNames: lineage.map(\.name),
                descendants: members.filter { $1.contains { $0.name == entity.name } }.map { member, _ in
                    EntityHierarchy.Descendant(
                        name: member.name,
                        propertyNames: member.attributes.map(\.name) + member.relationships.map(\.name))
                },
                inheritedAttributeCount: inherited.reduce(0) { $0 + $1.attributes.count },
                inheritedRelationshipCount: inherited.reduce(0) { $0 + $1.relationships.count },
                relationshipOwners: all.flatMap { owner in owner.relationships.map { _ in owner.name } })
            completed.append(
                EntityDescription(
                    entity, attributes: all.flatMap(\.attributes),
                    relationships: all.flatMap(\.relationships),
                    orderedToOneNames: all.flatMap(\.orderedToOneNames), hierarchy: hierarchy))
        }
        return completed
    }

    /// Returns the entities from which an entity inherits, the nearest first.
    private static func lineage(
        of entity: EntityDescription, among entities: [EntityDescription]
    ) throws(ObjectStorageError) -> [EntityDescription] {
        var lineage: [EntityDescription] = []
        var current = entity
        while let name = current.parentName {
            guard let parent = entities.first(where: { $0.name == name }) else {
                throw ObjectStorageError(
                    .invalidModel,
                    "Entity “\(current.name)” inherits from “\(name)”, which the model does not have. "
                        + NearestName.suggestion(for: name, among: entities.map(\.name)),
                    entityName: current.name)
            }
            guard parent.name != entity.name, !lineage.contains(where: { $0.name == name }) else {
                throw ObjectStorageError(
                    .invalidModel,
                    "Entity “\(current.name)” inherits from “\(name)”, which inherits from it in turn. Remove the parent of one of them.",
                    entityName: current.name)
            }
            lineage.append(parent)
            current = parent
        }
        return lineage
    }

    private static func refuseRedeclarations(
        in entity: EntityDescription, _ lineage: [EntityDescription]
    ) throws(ObjectStorageError) {
        for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
            let owner = lineage.first { ancestor in
                (ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name))
                    .contains { entity.mapping == nil ? $0.lowercased() == name.lowercased() : $0 == name }
            }
            guard let owner else { continue }
            throw ObjectStorageError(
                .invalidModel,
                "Entity “\(entity.name)” declares “\(name)”, which it inherits from “\(owner.name)”. Leave it out, or give it another name.",
                entityName: entity.name, propertyName: name)
        }
    }
}

extension ManagedObjectModel {
    /// Checks the conditions for entities that share a table.
    package func validateHierarchies() throws(ObjectStorageError) {
        for entity in entities where entity.hierarchy != nil {
            try validateClass(of: entity)
            guard entity.parentName == nil else { continue }
            let table = EntityTable(entities: family(of: entity))
            let count =
                table.attributes.count + table.toOneRelationships.count + table.orderedToOneNames.count
            guard count < Self.maximumColumns else {
                throw ObjectStorageError(
                    .invalidModel,
                    "Entity “\(entity.name)” and its sub-entities have \(count) attributes and to-one relationships together; their table holds up to \(Self.maximumColumns - 1). Move some to a separate entity.",
                    entityName: entity.name)
            }
            let members = family(of: entity)
            for (position, first) in members.enumerated() {
                for second in members[(position + 1)...] { try validateColumns(of: first, and: second) }
            }
        }
    }

    /// Checks that the class of a sub-entity is derived from the parent's, because its objects are also
    /// objects of the parent.
    private func validateClass(of entity: EntityDescription) throws(ObjectStorageError) {
        guard let parent = entity.parentName.flatMap({ self.entity(named: $0) }) else { return }
        guard let parentClass = parent.objectClass else { return }
        func isDerived<Parent>(from type: Parent.Type) -> Bool { entity.objectClass is Parent.Type }
        let type: Any.Type = parentClass
        guard !isDerived(from: type) else { return }
        let name = entity.objectClass.map { "class \($0)" } ?? "untyped class"
        throw ObjectStorageError(
            .invalidModel,
            "Entity “\(entity.name)” inherits from “\(parent.name)”, but its \(name) is not derived from \(parentClass).",
            entityName: entity.name)
    }

    /// Checks properties of the same name. Siblings may each declare one; these then share a column.
    private func validateColumns(
        of first: EntityDescription, and second: EntityDescription
    ) throws(ObjectStorageError) {
        // The columns of an external table are described one by one.
        guard first.mapping == nil else { return }
        for one in first.ownColumnPropertyNames {
            for other in second.ownColumnPropertyNames where one.lowercased() == other.lowercased() {
                let reason: String
                if one != other {
                    reason = "SQLite does not distinguish upper and lower case"
                } else {
                    switch (first.relationship(named: one), second.relationship(named: one)) {
                    case (nil, nil): continue
                    case (let one?, let other?) where references(one) == references(other): continue
                    default: reason = "their foreign keys differ"
                    }
                }
                throw ObjectStorageError(
                    .invalidModel,
                    "“\(first.name).\(one)” and “\(second.name).\(other)” would share a column, but \(reason). Give one of them another name.",
                    entityName: second.name, propertyName: other)
            }
        }
    }

    /// Returns the name of the table to which the column of a to-one relationship refers; nil if the column
    /// has no foreign key, because SQLite must not clear it.
    package func references(_ relationship: RelationshipDescription) -> String? {
        let destination = entity(named: relationship.destinationEntityName)
        let inverse = relationship.inverseName.flatMap { destination?.relationship(named: $0) }
        return inverse?.deleteRule == .noAction
            ? nil : destination?.tableName ?? relationship.destinationEntityName
    }
}

extension EntityDescription {
    fileprivate var ownColumnPropertyNames: [String] {
        ownAttributes.filter { !$0.isTransient }.map(\.name)
            + ownRelationships.filter { !$0.isToMany }.map(\.name)
    }
}
