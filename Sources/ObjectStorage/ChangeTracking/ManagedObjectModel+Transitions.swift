extension ManagedObjectModel {
    /// Returns the names of the entities whose rows are in tables that changed.
    func namesOfEntities(in tables: [TableTransition]) -> Set<String> {
        tables.reduce(into: []) { $0.formUnion(namesOfEntities(inTableNamed: $1.tableName)) }
    }
}
