extension MigrationPlan {
    /// Checks that an entity stays in the library's own table or in an external table: rows are not moved
    /// between the two, and external tables are migrated by their own programs.
    static func checkOwner(
        of entity: EntityDescription, formerly source: EntityDescription
    ) throws(ObjectStorageError) {
        guard (entity.mapping == nil) != (source.existingTable == nil) else { return }
        throw ObjectStorageError(
            .modelMismatch,
            "Entity “\(entity.name)” \(words(source.existingTable)) in the store and \(words(entity.existingTable)) in the model. A migration does not move objects between the two; give the new entity another name, and copy the objects.",
            entityName: entity.name)
    }

    /// Checks that relationships stay in the library's own link tables or in external link tables.
    static func checkLinks(
        from kept: ManagedObjectModel, to model: ManagedObjectModel, _ names: Names
    ) throws(ObjectStorageError) {
        guard kept.hasExistingTables || model.hasExistingTables else { return }
        for source in kept.entities {
            for previous in source.relationships {
                guard let entity = model.entity(named: names.newName(of: source.name)),
                    let relationship = names.successor(ofRelationshipNamed: previous.name, in: entity),
                    let old = kept.linkEnd(of: previous, in: source)?.table,
                    let new = model.linkEnd(of: relationship, in: entity)?.table,
                    (old.existing == nil) != (new.existing == nil)
                else { continue }
                throw ObjectStorageError(
                    .modelMismatch,
                    "The links of “\(entity.name).\(relationship.name)” are in table “\(old.name)” in the store and in “\(new.name)” in the model. A migration does not move links between the library's tables and external tables; give the new relationship another name.",
                    entityName: entity.name, propertyName: relationship.name)
            }
        }
    }

    private static func words(_ table: ExistingTable?) -> String {
        table.map { "is mapped to table “\($0.name)”" } ?? "has its own table"
    }
}
