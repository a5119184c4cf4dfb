extension ManagedObjectModel {
    /// The names of the columns in which a store has the contents of the model, by the names of their tables.
    /// All names are in lower case, because SQLite does not distinguish it.
    ///
    /// - Complexity: O(*n*) in the number of properties.
    package var storedColumnNames: [String: Set<String>] {
        var names: [String: Set<String>] = [:]
        func add(_ columns: [String], to table: String) {
            names[table.lowercased(), default: []].formUnion(columns.map { $0.lowercased() })
        }
        for entity in entities {
            guard let table = entity.existingTable else {
                add(["objectID", ".entity"] + entity.slotNames, to: entity.tableName)
                continue
            }
            add(
                [table.primaryKey] + entity.columnPropertyNames.map { table.columns[$0] ?? $0 }
                    + table.orderColumns.values + [table.entityColumn?.name].compactMap(\.self),
                to: table.name)
        }
        for table in linkTables {
            guard let existing = table.existing else {
                add(["source", "target", "sourcePosition", "targetPosition"], to: table.name)
                continue
            }
            let positions = [existing.orderColumn, existing.inverseOrderColumn]
            add([existing.ownColumn, existing.otherColumn] + positions.compactMap(\.self), to: table.name)
        }
        return names
    }
}
