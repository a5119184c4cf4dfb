extension PendingChanges {
    /// Returns the names of the entities whose objects may have other values because triggers of another
    /// program changed tables that this save did not write.
    ///
    /// - Parameter tables: The tables that changed.
    /// - Complexity: O(*n*) in the number of changed objects, one comparison each.
    func namesOfEntitiesChangedByTriggers(_ outcome: Outcome, in tables: [TableTransition]) -> Set<String> {
        let model = container.model
        var written = Set(links.map(\.table.name))
        for objects in [inserted, updated, deleted] {
            for entity in Self.entities(of: objects) { written.insert(entity.tableName) }
        }
        for objectID in outcome.nullified {
            if let entity = model.entity(named: objectID.entityName) { written.insert(entity.tableName) }
        }
        // Foreign keys delete the links of deleted rows.
        for entity in Self.entities(of: deleted) {
            written.formUnion(model.linkEnds(of: entity).map(\.table.name))
        }
        return tables.reduce(into: []) { names, table in
            guard !table.isStampedOnly, !written.contains(table.tableName) else { return }
            names.formUnion(model.namesOfEntities(readingTableNamed: table.tableName))
        }
    }

    /// Returns the entities of objects, possibly with duplicates: objects of one entity are mostly adjacent.
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
