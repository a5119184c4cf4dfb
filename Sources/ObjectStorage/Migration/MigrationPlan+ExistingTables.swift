extension MigrationPlan {
    /// Makes sure that an entity stays in a table of ours or of somebody else: the rows of one are not those of the other, and
    /// an owner migrates his tables himself.
    static func checkOwner(
        of entity: EntityDescription, formerly source: EntityDescription
    ) throws(ObjectStorageError) {
        guard (entity.existingTable == nil) != (source.existingTable == nil) else { return }
        throw ObjectStorageError(
            .modelMismatch,
            "Entity “\(entity.name)” \(words(source.existingTable)) in the store and \(words(entity.existingTable)) in the model. Objects do not move from one to the other; give the new entity another name, and copy them.",
            entityName: entity.name)
    }

    /// The same for link tables.
    static func checkOwners(
        of tables: [LinkTable], _ names: Names, in model: ManagedObjectModel
    ) throws(ObjectStorageError) {
        let current = model.linkTables
        for table in tables where !current.contains(where: { $0.name == table.name }) {
            let successor = current.first {
                $0.sourceEntityName == names.newName(of: table.sourceEntityName)
                    && $0.targetEntityName == names.newName(of: table.targetEntityName)
                    && ($0.existing == nil) != (table.existing == nil)
            }
            guard let successor else { continue }
            throw ObjectStorageError(
                .modelMismatch,
                "The links between “\(table.sourceEntityName)” and “\(table.targetEntityName)” are in table “\(table.name)” in the store and in “\(successor.name)” in the model. They do not move between our tables and an owner's; give the new relationship and its entity another name.",
                entityName: table.sourceEntityName)
        }
    }

    private static func words(_ table: ExistingTable?) -> String {
        table.map { "is mapped on table “\($0.name)”" } ?? "has a table of its own"
    }
}
