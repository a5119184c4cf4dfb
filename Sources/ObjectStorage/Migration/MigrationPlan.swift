/// What has to be done to a store so that it has the shape of a model.
///
/// Worked out from the two models alone: entities, attributes and relationships that came, went or were
/// renamed, and whether values may be missing. Whatever else differs needs a ``MigrationStep``.
struct MigrationPlan {
    /// One table, with all entities that have rows in it.
    struct Table {
        /// The entities that the store has rows of.
        let parts: [Part]
        /// The table's name in the store.
        let sourceName: String
        /// The table as it is to be.
        let destination: EntityTable
    }

    /// The rows of one entity.
    struct Part {
        /// The entity as the store has it.
        let source: EntityDescription
        /// The entity as it is to be.
        let destination: EntityDescription
        /// For each column to be, the column that it is taken from; nil where it has its default.
        let sourceColumns: [String?]
        /// The properties whose values the models do not say, so that the step has to.
        let unknownNames: [String]
        /// What makes the rows' values where the models do not say.
        let step: MigrationStep?
    }

    /// One link table.
    struct Link {
        /// The table as the store has it.
        let source: LinkTable
        /// The table as it is to be.
        let destination: LinkTable
        /// Whether sources become targets, because the other relationship of the two gives the table its name
        /// from now on.
        let isReversed: Bool
    }

    /// The model that the store will keep: the new one, and entities of the old one that the new one does not
    /// know.
    let model: ManagedObjectModel
    /// The tables that change.
    let tables: [Table]
    /// The link tables that go on under another name or in another shape.
    let links: [Link]
    /// The link tables that no relationship has any more, or only in a column.
    let removedLinks: [LinkTable]
    /// The relationships that are kept in another way from now on.
    let moves: [Move]

    /// Works out a plan.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/modelMismatch``: what differs and
    ///   needs a step.
    init(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, steps: [MigrationStep]
    ) throws(ObjectStorageError) {
        let names = Names(kept: kept, model: model)
        let newModel = try ManagedObjectModel(
            entities: model.entities + names.unmatched.map { Self.reconciled($0, with: model, names) })
        self.model = newModel
        var tables: [Table] = []
        for table in newModel.tables {
            var pairs: [(source: EntityDescription, destination: EntityDescription)] = []
            for destination in table.entities {
                guard let source = names.source(of: destination) else { continue }
                guard destination.existingTable == nil, source.existingTable == nil else {
                    try Self.checkOwner(of: destination, formerly: source)
                    continue
                }
                try Self.checkParent(of: destination, formerly: source, names, steps, kept, newModel)
                pairs.append((source, destination))
            }
            guard let first = pairs.first else { continue }
            let isSame = pairs.allSatisfy { Self.isSame($0, $1, kept, newModel) }
            if isSame, pairs.count == table.entities.count { continue }
            var parts: [Part] = []
            for (source, destination) in pairs {
                parts.append(try Self.part(from: source, to: destination, in: newModel, names, steps))
            }
            tables.append(Table(parts: parts, sourceName: first.source.tableName, destination: table))
        }
        self.tables = tables
        try Self.checkLinks(from: kept, to: newModel, names)
        let oldLinks = kept.linkTables.filter { $0.existing == nil }
        let goingOn = oldLinks.compactMap { names.continuation(of: $0, in: newModel) }
        removedLinks = oldLinks.filter { old in !goingOn.contains { $0.source == old } }
        links = goingOn.filter { $0.source != $0.destination }
        moves = try Self.moves(
            from: kept, to: newModel, names, steps, keeping: Set(goingOn.map(\.destination)))
    }

    /// Whether the store has the shape already, save for entities that it does not have yet.
    var isEmpty: Bool { tables.isEmpty && links.isEmpty && removedLinks.isEmpty && moves.isEmpty }
}

extension MigrationPlan {
    /// An entity that the new model does not know, without the relationships that no longer lead anywhere or
    /// back.
    private static func reconciled(
        _ entity: EntityDescription, with model: ManagedObjectModel, _ names: Names
    ) -> EntityDescription {
        let relationships = entity.ownRelationships.filter { relationship in
            guard let other = model.entity(named: relationship.destinationEntityName) else {
                return names.newName(of: relationship.destinationEntityName)
                    == relationship.destinationEntityName
            }
            guard let inverse = relationship.inverseName else { return true }
            guard let back = other.relationship(named: inverse) else { return false }
            return back.inverseName == relationship.name && back.destinationEntityName == entity.name
        }
        return EntityDescription(
            name: entity.name, parentName: entity.parentName.map(names.newName),
            isAbstract: entity.isAbstract, attributes: Array(entity.ownAttributes),
            relationships: relationships,
            uniquenessConstraints: entity.uniquenessConstraints, indexes: entity.indexes,
            existingTable: entity.existingTable)
    }

    /// Whether an entity's rows can stay as they are.
    private static func isSame(
        _ source: EntityDescription, _ destination: EntityDescription, _ kept: ManagedObjectModel,
        _ model: ManagedObjectModel
    ) -> Bool {
        source.name == destination.name && source.versionDigest == destination.versionDigest
            && source.slotNames == destination.slotNames
            // The table of another entity may have been renamed with the root of its hierarchy.
            && source.toOneRelationships.allSatisfy { relationship in
                kept.entity(named: relationship.destinationEntityName)?.tableName
                    == model.entity(named: relationship.destinationEntityName)?.tableName
            }
    }

    private static func part(
        from source: EntityDescription, to destination: EntityDescription, in model: ManagedObjectModel,
        _ names: Names, _ steps: [MigrationStep]
    ) throws(ObjectStorageError) -> Part {
        let step = step(from: source, to: destination, steps)
        let attributes = destination.renamedAttributes(from: source)
        let relationships = destination.renamedRelationships(from: source)
        var columns: [String?] = []
        var unknown: [String] = []
        for attribute in destination.storedAttributes {
            guard let old = attributes.formerName(of: attribute.name).flatMap(source.attribute(named:)) else {
                columns.append(nil)
                continue
            }
            let isSame = attribute.holdsValues(of: old)
            guard isSame || step != nil else {
                throw mismatch(
                    destination, attribute.name,
                    "attribute “\(attribute.name)” was \(old.type.rawValue) and is \(attribute.type.rawValue)"
                )
            }
            columns.append(isSame ? old.name : nil)
            if !isSame { unknown.append(attribute.name) }
        }
        for relationship in destination.toOneRelationships {
            let former = relationships.formerName(of: relationship.name)
            guard let old = former.flatMap(source.relationship(named:)), !old.isToMany else {
                // What led to many is looked at with what is kept in another way.
                columns.append(nil)
                continue
            }
            let isSame = names.leads(old, where: relationship, in: model)
            guard isSame || step != nil else {
                throw leadsElsewhere(relationship, of: destination, formerly: old)
            }
            columns.append(isSame ? old.name : nil)
            if !isSame { unknown.append(relationship.name) }
        }
        for name in destination.orderedToOneNames {
            let column = relationships.formerName(of: name).map(
                EntityDescription.orderColumnName(ofToOneNamed:))
            columns.append(column.flatMap { source.slotNames.contains($0) ? $0 : nil })
        }
        return Part(
            source: source, destination: destination, sourceColumns: columns, unknownNames: unknown,
            step: step)
    }

    /// What is thrown where the objects that a relationship led to are not of the entity that it leads to.
    static func leadsElsewhere(
        _ relationship: RelationshipDescription, of entity: EntityDescription,
        formerly old: RelationshipDescription
    ) -> ObjectStorageError {
        func words(_ relationship: RelationshipDescription) -> String {
            "to \(relationship.isToMany ? "many" : "one") “\(relationship.destinationEntityName)”"
        }
        return mismatch(
            entity, relationship.name,
            "relationship “\(relationship.name)” led \(words(old)) and leads \(words(relationship))",
            orElse:
                "If “\(old.destinationEntityName)” is called “\(relationship.destinationEntityName)” now, give that its renamingIdentifier. "
        )
    }

    private static func mismatch(
        _ entity: EntityDescription, _ property: String, _ what: String, orElse other: String = ""
    ) -> ObjectStorageError {
        ObjectStorageError(
            .modelMismatch,
            "Entity “\(entity.name)” of the model differs from the store's: \(what). \(other)"
                + "Write a MigrationStep for “\(entity.name)” that makes the new values, or open the store with the model that it was made with.",
            entityName: entity.name, propertyName: property)
    }
}
