extension PendingChanges {
    /// The entities whose objects may show other values because a save of these changes had tables changed
    /// that it did not write: by triggers that another program made.
    ///
    /// - Parameter tables: The tables that changed.
    /// - Complexity: O(*n*) in the number of changed objects, a comparison each.
    func namesOfEntitiesChangedByTriggers(_ outcome: Outcome, in tables: [TableTransition]) -> Set<String> {
        let model = container.model
        var written = Set(links.map(\.table.name))
        for objects in [inserted, updated, deleted] {
            for entity in Self.entities(of: objects) { written.insert(entity.tableName) }
        }
        for objectID in outcome.nullified {
            if let entity = model.entity(named: objectID.entityName) { written.insert(entity.tableName) }
        }
        // The store deletes links with the rows that they lead from and to.
        for entity in Self.entities(of: deleted) {
            written.formUnion(model.linkEnds(of: entity).map(\.table.name))
        }
        return tables.reduce(into: []) { names, table in
            guard !table.isStampedOnly, !written.contains(table.tableName) else { return }
            names.formUnion(model.namesOfEntities(readingTableNamed: table.tableName))
        }
    }

    /// The entities of objects, some perhaps more than once: the objects of one mostly come one after the
    /// other.
    private static func entities(of objects: [ManagedObject]) -> [EntityDescription] {
        var entities: [EntityDescription] = []
        var runtime: EntityRuntime?
        for object in objects where object.runtime !== runtime {
            runtime = object.runtime
            entities.append(object.entity)
        }
        return entities
    }
}
