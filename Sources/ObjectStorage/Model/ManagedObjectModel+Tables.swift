extension ManagedObjectModel {
    /// The names of the tables of all entities, each once.
    var tableNames: [String] {
        entities.reduce(into: []) { names, entity in
            if !names.contains(entity.tableName) { names.append(entity.tableName) }
        }
    }

    /// Whether the rows of an entity, or links, are in a table of this name.
    package func hasTable(named name: String) -> Bool {
        tableNames.contains(name) || linkTables.contains { $0.name == name }
    }

    /// The tables with what their entities need of them.
    var tables: [EntityTable] {
        tableNames.map { name in
            let entities = entities.filter { $0.tableName == name }
            return EntityTable(
                entities: entities.filter { $0.parentName == nil } + entities.filter { $0.parentName != nil })
        }
    }

    /// The entities whose rows are in a table; none for a table of links.
    func namesOfEntities(inTableNamed tableName: String) -> [String] {
        entities.filter { $0.tableName == tableName }.map(\.name)
    }

    /// The entities whose rows are in tables that changed.
    func namesOfEntities(in tables: [TableTransition]) -> Set<String> {
        tables.reduce(into: []) { $0.formUnion(namesOfEntities(inTableNamed: $1.tableName)) }
    }

    /// The digests of the entities whose rows are in a table, one after the other.
    func versionDigest(ofTableNamed tableName: String) -> [UInt8] {
        entities.indices.reduce(into: []) { digest, position in
            if entities[position].tableName == tableName { digest += entityDigests[position] }
        }
    }
}
