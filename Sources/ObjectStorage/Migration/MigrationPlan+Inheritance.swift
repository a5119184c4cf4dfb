extension MigrationPlan {
    /// Returns the migration step for an entity's rows, if any.
    static func step(
        from source: EntityDescription, to destination: EntityDescription, _ steps: [MigrationStep]
    ) -> MigrationStep? {
        steps.first {
            $0.entityName == destination.name
                && ($0.sourceVersion == nil || $0.sourceVersion == source.versionDigest)
        }
    }

    /// Checks that an entity inherits from the same entity as before, or that a migration step converts its
    /// rows.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/modelMismatch``. A key identifies a
    ///   row of one table, so rows cannot move to another table, with or without a step.
    static func checkParent(
        of destination: EntityDescription, formerly source: EntityDescription, _ names: Names,
        _ steps: [MigrationStep], _ kept: ManagedObjectModel, _ model: ManagedObjectModel
    ) throws(ObjectStorageError) {
        func words(_ parent: String?) -> String { parent.map { "inherits from “\($0)”" } ?? "has no parent" }
        let previous = source.parentName
        let change =
            "Entity “\(destination.name)” of the model \(words(destination.parentName)), and in the store it \(words(previous)). "
        let previousRoot = names.newName(of: source.tableName)
        guard previousRoot == destination.tableName else {
            throw ObjectStorageError(
                .modelMismatch,
                change
                    + "Its objects would have to move to another table and get other keys, which no migration supports. Give the new entity another name and insert the objects again, or open the store with the model that it was made with.",
                entityName: destination.name)
        }
        guard previous.map(names.newName) != destination.parentName else { return }
        guard step(from: source, to: destination, steps) == nil else { return }
        throw ObjectStorageError(
            .modelMismatch,
            change
                + "Write a MigrationStep for “\(destination.name)” that makes the values of the properties that it now inherits, or open the store with the model that it was made with.",
            entityName: destination.name)
    }
}
