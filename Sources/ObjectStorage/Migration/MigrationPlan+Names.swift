extension MigrationPlan {
    /// The correspondence between entities and relationships of the store and those of the model.
    struct Names {
        /// The entities of the store that the model does not have.
        let unmatched: [EntityDescription]
        private let kept: ManagedObjectModel
        private let newNames: [String: String]
        private let oldNames: [String: String]

        init(kept: ManagedObjectModel, model: ManagedObjectModel) {
            var newNames: [String: String] = [:]
            var oldNames: [String: String] = [:]
            for entity in model.entities {
                let previous = entity.renamingIdentifier.flatMap { name in
                    kept.entity(named: name) != nil && model.entity(named: name) == nil ? name : nil
                }
                guard let old = previous ?? (kept.entity(named: entity.name) != nil ? entity.name : nil)
                else {
                    continue
                }
                newNames[old] = entity.name
                oldNames[entity.name] = old
            }
            unmatched = kept.entities.filter { newNames[$0.name] == nil }
            self.kept = kept
            self.newNames = newNames
            self.oldNames = oldNames
        }

        /// Returns the new name of an entity of the store.
        func newName(of old: String) -> String { newNames[old] ?? old }

        /// Returns the entity of the store from which an entity is made; nil for a new one.
        func source(of entity: EntityDescription) -> EntityDescription? {
            kept.entity(named: oldNames[entity.name] ?? entity.name)
        }

        /// Returns the relationship of the store from which a relationship is made, with its entity; nil for
        /// a new one.
        func previous(
            of relationship: RelationshipDescription, in entity: EntityDescription
        ) -> (entity: EntityDescription, relationship: RelationshipDescription)? {
            guard let source = source(of: entity),
                let name = entity.renamedRelationships(from: source).previousName(of: relationship.name),
                let previous = source.relationship(named: name)
            else { return nil }
            return (source, previous)
        }

        /// Returns the relationship of the model that a relationship of the store becomes; nil if it was
        /// removed.
        func successor(
            ofRelationshipNamed name: String, in entity: EntityDescription
        ) -> RelationshipDescription? {
            guard let source = source(of: entity) else { return nil }
            return entity.renamedRelationships(from: source).newName(of: name).flatMap(
                entity.relationship(named:))
        }

        /// Returns whether the objects to which a relationship of the store led are of the entity to which a
        /// relationship of the model leads.
        func leads(
            _ previous: RelationshipDescription, where relationship: RelationshipDescription,
            in model: ManagedObjectModel
        ) -> Bool {
            let destination = newName(of: previous.destinationEntityName)
            return destination == relationship.destinationEntityName
                || model.entity(named: destination)?.isKind(
                    ofEntityNamed: relationship.destinationEntityName) == true
        }

        /// Returns the new form of a link table; nil if its relationship was removed, leads to another entity
        /// or is stored differently.
        func continuation(of table: LinkTable, in model: ManagedObjectModel) -> Link? {
            // Neither entities nor relationships have a full stop in their names.
            let parts = table.name.split(separator: ".").map(String.init)
            guard parts.count == 2, let entity = model.entity(named: newName(of: parts[0])),
                let previous = source(of: entity)?.relationship(named: parts[1]),
                let relationship = successor(ofRelationshipNamed: previous.name, in: entity),
                leads(previous, where: relationship, in: model),
                let end = model.linkEnd(of: relationship, in: entity)
            else { return nil }
            return Link(source: table, destination: end.table, isReversed: !end.isForward)
        }
    }
}
