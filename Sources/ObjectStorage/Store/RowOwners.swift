import GRDB

/// The rows to which the rows of a table belong: the objects whose delete rules delete them as well, such as
/// the record with an array for the elements of the array.
struct RowOwners {
    private let model: ManagedObjectModel
    private let database: Database
    private let owners: [Owner]

    /// A to-one relationship that leads to the owner of a row.
    private struct Owner {
        let relationship: String
        let entity: EntityDescription
    }

    /// A row, and its table.
    struct Row: Hashable {
        let table: String
        let key: Int64
    }

    init(of entity: EntityDescription, _ model: ManagedObjectModel, in database: Database) {
        self.model = model
        self.database = database
        owners = Self.owners(of: entity, model)
    }

    private static func owners(of entity: EntityDescription, _ model: ManagedObjectModel) -> [Owner] {
        entity.toOneRelationships.compactMap { relationship in
            guard let owner = model.entity(named: relationship.destinationEntityName),
                let inverse = relationship.inverseName.flatMap(owner.relationship(named:)),
                inverse.deleteRule == .cascade
            else { return nil }
            return Owner(relationship: relationship.name, entity: owner)
        }
    }

    /// Whether rows of the table belong to no other rows.
    var isEmpty: Bool { owners.isEmpty }

    /// Returns the rows to which a row belongs, directly or through another owner.
    ///
    /// - Parameter value: Returns the key of the object to which a relationship of the row leads, by the
    ///   relationship's name.
    func all(_ value: (String) -> StoredValue) throws -> Set<Row> {
        var found: Set<Row> = []
        var waiting = owners.map { (owner: $0, key: value($0.relationship)) }
        while let next = waiting.popLast() {
            let entity = next.owner.entity
            guard case .integer(let key) = next.key,
                found.insert(Row(table: entity.tableName, key: key)).inserted
            else { continue }
            let owners = Self.owners(of: entity, model)
            guard !owners.isEmpty else { continue }
            let columns = owners.map { entity.columnSQL($0.relationship) }.joined(separator: ", ")
            let row = try database.rows(
                "SELECT \(columns) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", [.integer(key)]
            ).first
            if let row { waiting += zip(owners, row).map { (owner: $0, key: $1) } }
        }
        return found
    }
}
