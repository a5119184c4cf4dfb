/// A table whose changes are tracked, with the columns of its keys.
struct TrackedTable {
    /// The name of the table.
    let name: String
    /// The column of the objects' keys, or those of a link's source and target, as SQL.
    let keyColumns: [String]
    /// Whether the table belongs to the store, so that no other program drops columns of it.
    let isOurs: Bool
    /// The columns of references whose inverses are to-many, as SQL. The log has the objects at the other end
    /// that a row belonged to before it was changed or deleted. An external table has none: see `isOurs`.
    var ownerColumns: [String] = []

    /// The table of the large values that are stored outside their rows.
    static let externalData = TrackedTable(
        name: LargeValueTable.tableName, keyColumns: ["`id`"], isOurs: true)
}

extension TrackedTable {
    /// Creates the tracked table of one or more entities.
    init(_ table: EntityTable, of model: ManagedObjectModel) {
        let mapping = table.root.mapping
        self.init(
            name: table.root.tableName,
            keyColumns: [mapping?.table.primaryKey.columnIdentifier ?? "objectID".columnIdentifier],
            isOurs: mapping == nil)
        guard mapping == nil else { return }
        for entity in table.entities {
            for relationship in entity.ownRelationships where model.hasManyInverse(relationship) {
                let column = entity.columnSQL(relationship.name)
                if !ownerColumns.contains(column) { ownerColumns.append(column) }
            }
        }
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
        if let table = tables.first(where: { $0.root.tableName == name }) {
            return TrackedTable(table, of: self)
        }
        if let table = linkTables.first(where: { $0.name == name }) { return TrackedTable(table) }
        return name == LargeValueTable.tableName ? .externalData : nil
    }

    /// Returns whether a relationship is stored as a reference that a to-many relationship reads.
    fileprivate func hasManyInverse(_ relationship: RelationshipDescription) -> Bool {
        guard !relationship.isToMany, let inverse = relationship.inverseName else { return false }
        return entity(named: relationship.destinationEntityName)?.relationship(named: inverse)?.isToMany
            ?? false
    }
}
