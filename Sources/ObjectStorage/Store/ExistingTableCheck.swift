import GRDB
import InternalUtilities

/// A comparison of a model's descriptions of external tables with a database.
struct ExistingTableCheck {
    /// A column as the schema declares it.
    private struct Column {
        let name: String
        let type: String
        let isRequired: Bool
        /// The position in the primary key, from 1; 0 for a column that is not in it.
        let keyPosition: Int64
        let isGenerated: Bool
    }

    let database: any StatementSource
    /// Whether rows are only read, so that row IDs can be keys, and columns may be generated.
    private let isReading: Bool
    private let views: StoreOptions.ReadableViews
    private let tableNames: [(name: String, kind: Kind)]

    private enum Kind { case table, view, virtualTable }

    /// Reads the names of all tables.
    private init(
        database: any StatementSource, isReading: Bool, views: StoreOptions.ReadableViews
    ) throws {
        self.database = database
        self.views = views
        self.isReading = isReading
        tableNames = try database.rows(
            "SELECT name, type, rootpage FROM main.sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"
        ).compactMap { row in
            guard case .text(let name) = row[0] else { return nil }
            // Only a table with its own pages has a root page.
            return (name, row[1] == .text("view") ? .view : row[2] == .integer(0) ? .virtualTable : .table)
        }
    }

    /// Checks that all mapped tables exist and match the model.
    ///
    /// - Parameters:
    ///   - isReading: Whether rows are only read and nothing is tracked.
    ///   - views: The views that may be read.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/existingTableMismatch``, with the
    ///   table, the column and the remedy.
    /// - Complexity: O(*n*) in the number of tables and mapped columns; of the rows of a table only the
    ///   largest key is read, and of a view all rows.
    static func check(
        _ model: ManagedObjectModel, isReading: Bool = false, views: StoreOptions.ReadableViews = .none,
        in database: any StatementSource
    ) throws {
        guard model.hasExistingTables else { return }
        let check = try ExistingTableCheck(database: database, isReading: isReading, views: views)
        for entity in model.entitiesOfExistingTables { try check.check(entity) }
        for link in model.linkTables {
            guard let table = link.existing else { continue }
            let links = model.entity(named: link.sourceEntityName)?.existingTable?.links ?? [:]
            try check.check(table, of: link, links.filter { $0.value == table }.keys.min())
        }
    }

    private func check(_ entity: EntityDescription) throws {
        guard let table = entity.existingTable else { return }
        let columns = try columns(ofTableNamed: table.name, of: entity.name)
        if isView(table.name) {
            try checkViewKey(table, columns, of: entity)
        } else {
            try checkKey(table, columns, of: entity)
        }
        for property in entity.columnPropertyNames {
            let column = try find(
                table.columns[property] ?? property, in: columns, of: table.name, entity.name, property)
            guard !column.isGenerated || isReading else {
                throw mismatch(
                    "column “\(column.name)” of table “\(table.name)” is generated, so it cannot be written. Remove “\(property)” from the model, and compute it in Swift.",
                    entity.name, property)
            }
        }
        for (name, column) in table.orderColumns.sorted(by: { $0.key < $1.key }) {
            _ = try find(column, in: columns, of: table.name, entity.name, name)
        }
        if let column = table.entityColumn {
            _ = try find(column.name, in: columns, of: table.name, entity.name)
        }
    }

    private func columns(
        ofTableNamed name: String, of entityName: String, _ property: String? = nil
    ) throws -> [Column] {
        guard let found = tableNames.first(where: { $0.name == name }) else {
            if let other = tableNames.first(where: { $0.name.lowercased() == name.lowercased() })?.name {
                throw mismatch(
                    "table “\(name)” is called “\(other)” in the database. Use that spelling.", entityName,
                    property)
            }
            throw mismatch(
                "table “\(name)” does not exist. "
                    + NearestName.suggestion(
                        for: name, among: tableNames.map(\.name).filter { !$0.hasPrefix("sqlite_") }),
                entityName, property)
        }
        switch found.kind {
        case .table: break
        case .view where isReading && views.contains(name): break
        case .view:
            throw mismatch(
                "“\(name)” is a view, which has no rows of its own and cannot be tracked. Map the table that it reads, or name the view in StoreOptions.readableViews and open the store read-only with existingTables: .untracked.",
                entityName, property)
        case .virtualTable:
            throw mismatch(
                "“\(name)” is a virtual table, which cannot have triggers and declares no key. Map the table on which it is based.",
                entityName, property)
        }
        return try database.rows("PRAGMA main.table_xinfo(\(name.quotedIdentifier))").compactMap { row in
            guard case .text(let name) = row[1], case .text(let type) = row[2],
                case .integer(let position) = row[5]
            else { return nil }
            return Column(
                name: name, type: type.uppercased(), isRequired: row[3] != .integer(0), keyPosition: position,
                isGenerated: row[6] != .integer(0))
        }
    }

    private func isView(_ name: String) -> Bool {
        tableNames.contains { $0.name == name && $0.kind == .view }
    }

    /// Checks that the key of a view has a different integer in each row.
    private func checkViewKey(
        _ table: ExistingTable, _ columns: [Column], of entity: EntityDescription
    ) throws {
        let key = try find(table.primaryKey, in: columns, of: table.name, entity.name).name
        do {
            guard try ViewKeys.find(among: [key], ofView: entity.tableSQL, in: database).isEmpty else {
                return
            }
        } catch {
            let failure = ObjectStorageError(error, while: "Reading the view “\(table.name)”")
            throw ObjectStorageError(failure.code, failure.message, entityName: entity.name)
        }
        throw mismatch(
            "“\(key)” does not have a different integer in each row of the view “\(table.name)”. Map a column that does, such as the key of a table that the view reads.",
            entity.name)
    }

    private func find(
        _ name: String, in columns: [Column], of tableName: String, _ entityName: String,
        _ property: String? = nil
    ) throws -> Column {
        if let column = columns.first(where: { $0.name.lowercased() == name.lowercased() }) { return column }
        throw mismatch(
            "table “\(tableName)” has no column “\(name)”\(property.map { " for “\($0)”" } ?? ""). "
                + NearestName.suggestion(for: name, among: columns.map(\.name)),
            entityName, property)
    }

    private func checkKey(_ table: ExistingTable, _ columns: [Column], of entity: EntityDescription) throws {
        let subject = "table “\(table.name)”"
        let isDeclared = columns.contains { $0.name.lowercased() == table.primaryKey.lowercased() }
        if !isDeclared, ["rowid", "oid", "_rowid_"].contains(table.primaryKey.lowercased()) {
            return try checkRowID(table, of: entity)
        }
        let key = try find(table.primaryKey, in: columns, of: table.name, entity.name)
        let keyColumns = columns.filter { $0.keyPosition > 0 }
        let indexes = try uniqueIndexes(ofTableNamed: table.name)
        let isOnlyKey = key.keyPosition > 0 && keyColumns.count == 1
        // Another name of the row ID, the only key without an index.
        if isOnlyKey, key.type == "INTEGER", !indexes.contains(where: { $0.isPrimaryKey }) { return }
        guard indexes.contains(where: { $0.columns == [key.name] }) else {
            throw mismatch(
                keyColumns.count > 1 && key.keyPosition > 0
                    ? "“\(key.name)” is a part of the primary key of \(subject), which consists of \(keyColumns.map(\.name).joined(separator: ", ")). The key of an object is one integer; add a unique integer column to the table."
                    : "“\(key.name)” is not declared as unique in \(subject). Map the INTEGER PRIMARY KEY, or a column that is UNIQUE and NOT NULL.",
                entity.name)
        }
        guard key.type.contains("INT"), !key.isGenerated else {
            throw mismatch(
                "the key “\(key.name)” of \(subject) is declared \(key.type.isEmpty ? "without a type" : key.type), and keys of objects are integers. Map a unique integer column.",
                entity.name)
        }
        guard key.isRequired else {
            throw mismatch(
                "the key “\(key.name)” of \(subject) may be NULL. Map the INTEGER PRIMARY KEY, or a column that is UNIQUE and NOT NULL.",
                entity.name)
        }
        // A column of this type may still contain texts, which are the largest values.
        let largest = try database.rows(
            "SELECT typeof(max(\(key.name.columnIdentifier))) FROM \(entity.tableSQL)")
        guard [[.text("integer")], [.text("null")]].contains(largest.first) else {
            throw mismatch(
                "the key “\(key.name)” of \(subject) has a value that is not an integer. Correct the row.",
                entity.name)
        }
    }

    /// Checks that a row ID that no column declares can be a key. `VACUUM` may renumber such rows, so they
    /// can only be read.
    private func checkRowID(_ table: ExistingTable, of entity: EntityDescription) throws {
        let subject = "table “\(table.name)”"
        guard isReading else {
            throw mismatch(
                "\(subject) declares no column “\(table.primaryKey)”, and VACUUM may renumber rows without a declared key. Add an INTEGER PRIMARY KEY to the table, or open the store read-only with existingTables: .untracked.",
                entity.name)
        }
        do {
            _ = try database.rows(
                "SELECT \(table.primaryKey.columnIdentifier) FROM \(entity.tableSQL) LIMIT 0")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw mismatch(
                "\(subject) is declared WITHOUT ROWID, so its rows have no integer keys. Add a unique integer column that is NOT NULL.",
                entity.name)
        }
    }

    /// Returns the columns of the unique indexes that contain all rows.
    private func uniqueIndexes(
        ofTableNamed name: String
    ) throws -> [(columns: [String], isPrimaryKey: Bool)] {
        try database.rows("PRAGMA main.index_list(\(name.quotedIdentifier))").compactMap { row in
            guard case .text(let index) = row[1], row[2] == .integer(1), row[4] == .integer(0) else {
                return nil
            }
            let columns = try database.rows("PRAGMA main.index_info(\(index.quotedIdentifier))").map { row in
                if case .text(let column) = row[2] { column } else { "" }
            }
            return (columns, row[3] == .text("pk"))
        }
    }

    private func check(
        _ table: ExistingLinkTable, of link: LinkTable, _ relationship: String?
    ) throws {
        let columns = try columns(ofTableNamed: table.name, of: link.sourceEntityName, relationship)
        let found = try [table.ownColumn, table.otherColumn].map {
            try find($0, in: columns, of: table.name, link.sourceEntityName, relationship).name
        }
        for order in [table.orderColumn, table.inverseOrderColumn].compactMap({ $0 }) {
            _ = try find(order, in: columns, of: table.name, link.sourceEntityName, relationship)
        }
        // If the other entity's table serves as the link table, its key is one of the two columns, so no pair
        // is repeated.
        let keys = columns.filter { $0.keyPosition > 0 }
        let isRowKey = keys.count == 1 && keys[0].type == "INTEGER" && found.contains(keys[0].name)
        guard
            try isRowKey
                || uniqueIndexes(ofTableNamed: table.name).contains(where: { index in
                    !index.columns.isEmpty && index.columns.allSatisfy(found.contains)
                })
        else {
            throw mismatch(
                "the link table “\(table.name)” may have the same pair of \(found.joined(separator: " and ")) twice, but a relationship leads to an object once. Make the pair a primary key or unique, or map the table as an entity.",
                link.sourceEntityName, relationship)
        }
    }

    private func mismatch(
        _ message: String, _ entityName: String, _ property: String? = nil
    ) -> ObjectStorageError {
        ObjectStorageError(
            .existingTableMismatch, "Entity “\(entityName)”: \(message)", entityName: entityName,
            propertyName: property)
    }
}
