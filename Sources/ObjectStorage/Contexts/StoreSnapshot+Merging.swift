extension StoreSnapshot {
    /// Returns the keys of those rows of the request's table whose objects have other values in a context,
    /// because it has not merged a change of the row yet.
    ///
    /// Objects that are not in memory, faults and deleted objects are not examined.
    ///
    /// - Complexity: O(*k* log *n*) for *k* keys in a table of *n* rows.
    package func keysOfUnmergedRows(
        _ keys: some Collection<Int64>, in context: ManagedObjectContext
    ) throws -> Set<Int64> {
        guard let list else { return [] }
        let registries = list.listedEntities.map { context.runtime(ofEntityNamed: $0.name)?.registry }
        var unmerged: Set<Int64> = []
        for listKey in keys {
            let position = list.union == nil ? 0 : EntityUnion.member(ofKey: listKey)
            let key = listKey &- EntityUnion.offset(ofMember: position)
            guard registries.indices.contains(position),
                let object = registries[position]?.object(forKey: key), !object.isFault, !object.isDeleted
            else {
                continue
            }
            let shown =
                includesPendingChanges
                ? ObjectValueSnapshot(of: object).resolvedValues : object.committedValues ?? object.values
            let statement = try SQLiteStatement(object.runtime.statements.selection, in: database)
            try statement.bind(.integer(key), at: 1)
            let row = try statement.use { statement in
                try statement.step() ? ManagedObjectContext.row(of: statement, object.runtime) : nil
            }
            if row != shown { unmerged.insert(listKey) }
        }
        return unmerged
    }
}
