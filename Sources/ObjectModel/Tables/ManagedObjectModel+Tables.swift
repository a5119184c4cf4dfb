extension ManagedObjectModel {
    /// The names of the tables of all entities, each once.
    package var tableNames: [String] {
        entities.reduce(into: []) { names, entity in
            if !names.contains(entity.tableName) { names.append(entity.tableName) }
        }
    }

    /// Returns whether the rows of an entity, or links, are in a table called `name`.
    package func hasTable(named name: String) -> Bool {
        tableNames.contains(name) || linkTables.contains { $0.name == name }
    }

    /// The tables with the columns and indexes that their entities need.
    package var tables: [EntityTable] {
        tableNames.map { name in
            let entities = entities.filter { $0.tableName == name }
            return EntityTable(
                entities: entities.filter { $0.parentName == nil } + entities.filter { $0.parentName != nil })
        }
    }

    /// Returns the names of the entities whose rows are in a table; empty for a link table.
    package func namesOfEntities(inTableNamed tableName: String) -> [String] {
        entities.filter { $0.tableName == tableName }.map(\.name)
    }

    /// Returns the names of the entities whose objects show the contents of a table: the entities with rows
    /// in it or, for a link table, those at both ends.
    package func namesOfEntities(readingTableNamed tableName: String) -> Set<String> {
        linkTables.reduce(into: Set(namesOfEntities(inTableNamed: tableName))) { names, table in
            if table.name == tableName { names.formUnion([table.sourceEntityName, table.targetEntityName]) }
        }
    }

    /// Returns the digests of the entities whose rows are in a table, concatenated.
    package func versionDigest(ofTableNamed tableName: String) -> [UInt8] {
        entities.indices.reduce(into: []) { digest, position in
            if entities[position].tableName == tableName { digest += entityDigests[position] }
        }
    }

    /// Returns the names of the tables in which rows may change when rows of a table are deleted: the table
    /// itself, tables with references to it, link tables, and tables in which delete rules delete rows as
    /// well.
    package func namesOfTables(changedByDeletingFrom tableName: String) -> Set<String> {
        var changed: Set<String> = [tableName]
        var visited: Set<String> = [tableName]
        var waiting = [tableName]
        while let table = waiting.popLast() {
            for entity in entities {
                for relationship in entity.relationships {
                    let destination = self.entity(named: relationship.destinationEntityName)?.tableName
                    let link = linkEnd(of: relationship, in: entity)?.table.name
                    if destination == table {
                        if let link {
                            changed.insert(link)
                        } else if !relationship.isToMany {
                            changed.insert(entity.tableName)
                        }
                    }
                    guard entity.tableName == table else { continue }
                    if let link { changed.insert(link) }
                    if relationship.deleteRule == .cascade, let destination {
                        changed.insert(destination)
                        if visited.insert(destination).inserted { waiting.append(destination) }
                    }
                }
            }
        }
        return changed
    }
}
