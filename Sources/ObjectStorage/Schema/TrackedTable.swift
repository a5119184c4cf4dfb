/// A table whose changes are noticed, and where the keys of its rows are.
struct TrackedTable {
    /// The table's name.
    let name: String
    /// The column of the objects' keys, or those of a link's source and target, as SQL.
    let keyColumns: [String]
    /// Whether the table is one of the store's, of which nobody else takes columns away.
    let isOurs: Bool

    /// The table of the large values that are kept out of their rows.
    static let externalData = TrackedTable(
        name: LargeValueTable.tableName, keyColumns: ["`id`"], isOurs: true)
}

extension TrackedTable {
    /// The table of an entity.
    init(_ entity: EntityDescription) {
        self.init(
            name: entity.tableName,
            keyColumns: [entity.mapping?.table.primaryKey.columnIdentifier ?? "objectID".columnIdentifier],
            isOurs: entity.mapping == nil)
    }

    /// A table of links.
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
    /// The tracked table of a name; nil if neither entities nor relationships have it.
    func trackedTable(named name: String) -> TrackedTable? {
        if let entity = entities.first(where: { $0.tableName == name }) { return TrackedTable(entity) }
        if let table = linkTables.first(where: { $0.name == name }) { return TrackedTable(table) }
        return name == LargeValueTable.tableName ? .externalData : nil
    }
}
