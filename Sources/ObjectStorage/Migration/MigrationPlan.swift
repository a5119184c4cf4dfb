/// The changes that migrate a store to a model.
///
/// The plan follows from the two models alone: added, removed and renamed entities, attributes and
/// relationships, and whether values may be missing. Any other difference needs a ``MigrationStep``.
struct MigrationPlan {
    /// One table, with all entities that have rows in it.
    struct Table {
        /// The entities whose rows are in the store.
        let parts: [Part]
        /// The table's name in the store.
        let sourceName: String
        /// The new table.
        let destination: EntityTable
    }

    /// The rows of one entity.
    struct Part {
        /// The entity in the store.
        let source: EntityDescription
        /// The entity in the new model.
        let destination: EntityDescription
        /// For each new column, the column from which it is copied; nil if it gets its default.
        let sourceColumns: [String?]
        /// The properties whose values do not follow from the models, so that the step must return them.
        let unknownNames: [String]
        /// The step that makes the values that do not follow from the models.
        let step: MigrationStep?
    }

    /// One link table.
    struct Link {
        /// The table in the store.
        let source: LinkTable
        /// The table in the new model.
        let destination: LinkTable
        /// Whether sources become targets, because the table is now named after the inverse relationship.
        let isReversed: Bool
    }

    /// The model that the store will contain: the new one, and entities of the old one that the new one does
    /// not have.
    let model: ManagedObjectModel
    /// The tables that change.
    let tables: [Table]
    /// The link tables that are retained under another name or with other columns.
    let links: [Link]
    /// The link tables whose relationships were removed, or are now stored in a column.
    let removedLinks: [LinkTable]
    /// The relationships whose storage changes.
    let moves: [Move]

    /// Creates a plan.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/modelMismatch`` for a difference that
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

    /// Whether the store already matches the model, except for entities that it does not contain yet.
    var isEmpty: Bool { tables.isEmpty && links.isEmpty && removedLinks.isEmpty && moves.isEmpty }
}

extension MigrationPlan {
    /// Returns an entity that the new model does not have, without the relationships whose destination or
    /// inverse no longer exists.
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

    /// Returns whether an entity's rows need no change.
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
            guard let old = attributes.previousName(of: attribute.name).flatMap(source.attribute(named:))
            else {
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
            let previous = relationships.previousName(of: relationship.name)
            guard let old = previous.flatMap(source.relationship(named:)), !old.isToMany else {
                // A relationship that was to-many is handled with those whose storage changes.
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
            let column = relationships.previousName(of: name).map(
                EntityDescription.orderColumnName(ofToOneNamed:))
            columns.append(column.flatMap { source.slotNames.contains($0) ? $0 : nil })
        }
        return Part(
            source: source, destination: destination, sourceColumns: columns, unknownNames: unknown,
            step: step)
    }

    /// Returns the error for a relationship whose objects are not of the entity to which it leads in the new
    /// model.
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
                "If “\(old.destinationEntityName)” was renamed to “\(relationship.destinationEntityName)”, declare that entity's renamingIdentifier. "
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
