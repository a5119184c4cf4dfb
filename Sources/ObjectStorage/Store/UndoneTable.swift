import GRDB

/// A table whose rows an undo deletes or restores.
struct UndoneTable {
    let rows: BatchTable
    /// The name of the table, which several entities may share.
    var name: String { rows.entity.tableName }
    private let model: ManagedObjectModel
    /// The references of other rows to the rows.
    let references: RowReferences
    /// The rows to which the rows belong.
    private let owners: RowOwners
    /// Whether rows belong to other rows.
    var hasOwners: Bool { !owners.isEmpty }

    init(_ rows: BatchTable, _ model: ManagedObjectModel) throws {
        self.rows = rows
        self.model = model
        references = try RowReferences(to: rows.entity, of: model, in: rows.database)
        owners = RowOwners(of: rows.entity, model, in: rows.database)
    }

    /// Returns the rows to which a row belongs.
    func owners(of row: [StoredValue]) throws -> Set<RowOwners.Row> {
        try owners.all { name in
            rows.columns.firstIndex(of: name).flatMap { row.indices.contains($0) ? row[$0] : nil } ?? .null
        }
    }

    /// Returns the positions of columns in a row.
    ///
    /// - Throws: ``ObjectStorageError`` if the entity does not have a column anymore.
    func positions(_ names: [String]) throws(ObjectStorageError) -> [Int] {
        try names.map { name throws(ObjectStorageError) in
            guard let position = rows.columns.firstIndex(of: name) else {
                throw ObjectStorageError(
                    .modelMismatch,
                    "“\(rows.entity.name)” has no property “\(name)” anymore, which the import wrote. The import cannot be undone. Restore the earlier model, or delete the rows.",
                    entityName: rows.entity.name, propertyName: name)
            }
            return position
        }
    }

    /// Returns the name of a relationship whose object does not exist, or nil.
    func missingObject(_ values: [(column: Int, value: StoredValue)]) throws -> String? {
        try values.first { try isMissing($0.value, column: $0.column) }.map { rows.columns[$0.column] }
    }

    /// Returns values without the keys of objects that do not exist.
    ///
    /// - Throws: ``ObjectStorageError`` if the relationship is required.
    func withoutMissingObjects(
        _ values: [(column: Int, value: StoredValue)]
    ) throws -> [(column: Int, value: StoredValue)] {
        try values.map { column, value in
            guard try isMissing(value, column: column) else { return (column, value) }
            let name = rows.columns[column]
            guard rows.entity.relationship(named: name)?.isOptional != false else {
                throw ObjectStorageError(
                    .missingValue,
                    "The earlier object of “\(rows.entity.name).\(name)”, which is required, does not exist anymore. Nothing was undone. Keep changed rows.",
                    entityName: rows.entity.name, propertyName: name)
            }
            return (column, .null)
        }
    }

    private func isMissing(_ value: StoredValue, column: Int) throws -> Bool {
        guard column >= rows.entity.storedAttributes.count, case .integer(let key) = value,
            let relationship = rows.entity.relationship(named: rows.columns[column]),
            model.references(relationship) != nil,
            let other = model.entity(named: relationship.destinationEntityName)
        else { return false }
        return try database.rows(
            "SELECT 1 FROM \(other.tableSQL) WHERE \(other.keySQL) = ?1", [.integer(key)]
        ).isEmpty
    }

    private var database: Database { rows.database }
}
