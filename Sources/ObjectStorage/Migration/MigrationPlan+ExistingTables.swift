extension MigrationPlan {
    /// Makes sure that an entity stays in a table of ours or of somebody else: the rows of one are not those
    /// of the other, and an owner migrates his tables himself.
    static func checkOwner(
        of entity: EntityDescription, formerly source: EntityDescription
    ) throws(ObjectStorageError) {
        guard (entity.mapping == nil) != (source.existingTable == nil) else { return }
        throw ObjectStorageError(
            .modelMismatch,
            "Entity “\(entity.name)” \(words(source.existingTable)) in the store and \(words(entity.existingTable)) in the model. Objects do not move from one to the other; give the new entity another name, and copy them.",
            entityName: entity.name)
    }

    /// The same for the link tables of relationships.
    static func checkLinks(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, _ names: Names
    ) throws(ObjectStorageError) {
        guard kept.hasExistingTables || model.hasExistingTables else { return }
        for source in kept.entities {
            for former in source.relationships {
                guard let entity = model.entity(named: names.newName(of: source.name)),
                    let relationship = names.successor(ofRelationshipNamed: former.name, in: entity),
                    let old = kept.linkEnd(of: former, in: source)?.table,
                    let new = model.linkEnd(of: relationship, in: entity)?.table,
                    (old.existing == nil) != (new.existing == nil)
                else { continue }
                throw ObjectStorageError(
                    .modelMismatch,
                    "The links of “\(entity.name).\(relationship.name)” are in table “\(old.name)” in the store and in “\(new.name)” in the model. They do not move between our tables and an owner's; give the new relationship another name.",
                    entityName: entity.name, propertyName: relationship.name)
            }
        }
    }

    private static func words(_ table: ExistingTable?) -> String {
        table.map { "is mapped on table “\($0.name)”" } ?? "has a table of its own"
    }
}
