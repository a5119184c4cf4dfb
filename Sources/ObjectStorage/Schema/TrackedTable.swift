/// A table whose changes are tracked, with the columns of its keys.
struct TrackedTable {
    /// The name of the table.
    let name: String
    /// The column of the objects' keys, or those of a link's source and target, as SQL.
    let keyColumns: [String]
    /// Whether the table belongs to the store, so that no other program drops columns of it.
    let isOurs: Bool

    /// The table of the large values that are stored outside their rows.
    static let externalData = TrackedTable(
        name: LargeValueTable.tableName, keyColumns: ["`id`"], isOurs: true)
}

extension TrackedTable {
    /// Creates the tracked table of an entity.
    init(_ entity: EntityDescription) {
        self.init(
            name: entity.tableName,
            keyColumns: [entity.mapping?.table.primaryKey.columnIdentifier ?? "objectID".columnIdentifier],
            isOurs: entity.mapping == nil)
    }

    /// Creates the tracked table of a link table.
    init(_ table: LinkTable) {
        self.init(
            name: table.name,
            keyColumns: [
                table.existing?.ownColumn ?? "source", table.existing?.otherColumn ?? "target",
            ].map(\.columnIdentifier),
            isOurs: table.existing == nil)
    }
}

extension ManagedObjectModel {
    /// Returns the tracked table with a name; nil if no entity or relationship has it.
    func trackedTable(named name: String) -> TrackedTable? {
        if let entity = entities.first(where: { $0.tableName == name }) { return TrackedTable(entity) }
        if let table = linkTables.first(where: { $0.name == name }) { return TrackedTable(table) }
        return name == LargeValueTable.tableName ? .externalData : nil
    }
}
