extension MigrationPlan {
    /// Which entities and relationships of the store are which of the model.
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
                let former = entity.renamingIdentifier.flatMap { name in
                    kept.entity(named: name) != nil && model.entity(named: name) == nil ? name : nil
                }
                guard let old = former ?? (kept.entity(named: entity.name) != nil ? entity.name : nil) else {
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

        /// The name that an entity of the store has from now on.
        func newName(of old: String) -> String { newNames[old] ?? old }

        /// The entity of the store that an entity comes from; nil for a new one.
        func source(of entity: EntityDescription) -> EntityDescription? {
            kept.entity(named: oldNames[entity.name] ?? entity.name)
        }

        /// The relationship of the store that a relationship comes from, with its entity; nil for a new one.
        func former(
            of relationship: RelationshipDescription, in entity: EntityDescription
        ) -> (entity: EntityDescription, relationship: RelationshipDescription)? {
            guard let source = source(of: entity),
                let name = entity.renamedRelationships(from: source).formerName(of: relationship.name),
                let former = source.relationship(named: name)
            else { return nil }
            return (source, former)
        }

        /// What a relationship of the store is in an entity of the model; nil if it is gone.
        func successor(
            ofRelationshipNamed name: String, in entity: EntityDescription
        ) -> RelationshipDescription? {
            guard let source = source(of: entity) else { return nil }
            return entity.renamedRelationships(from: source).newName(of: name).flatMap(
                entity.relationship(named:))
        }

        /// Whether the objects that a relationship of the store led to are such as a relationship of the
        /// model leads to.
        func leads(
            _ former: RelationshipDescription, where relationship: RelationshipDescription,
            in model: ManagedObjectModel
        ) -> Bool {
            let destination = newName(of: former.destinationEntityName)
            return destination == relationship.destinationEntityName
                || model.entity(named: destination)?.isKind(
                    ofEntityNamed: relationship.destinationEntityName) == true
        }

        /// What becomes of a link table; nil if its relationship is gone, leads elsewhere or is kept in
        /// another way.
        func continuation(of table: LinkTable, in model: ManagedObjectModel) -> Link? {
            // Neither entities nor relationships have a full stop in their names.
            let parts = table.name.split(separator: ".").map(String.init)
            guard parts.count == 2, let entity = model.entity(named: newName(of: parts[0])),
                let former = source(of: entity)?.relationship(named: parts[1]),
                let relationship = successor(ofRelationshipNamed: former.name, in: entity),
                leads(former, where: relationship, in: model),
                let end = model.linkEnd(of: relationship, in: entity)
            else { return nil }
            return Link(source: table, destination: end.table, isReversed: !end.isForward)
        }
    }
}
