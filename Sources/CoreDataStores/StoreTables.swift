import ObjectStorage

/// The tables of a Core Data store and the numbers of its entities.
///
/// Core Data writes names in capital letters, so tables and columns are found in any case.
struct StoreTables {
    /// A table and its columns.
    struct Table {
        /// The name as in the schema.
        let name: String
        /// The names of the columns as in the schema, by their names in capital letters.
        let columns: [String: String]
        /// The names of the columns in capital letters, in the order of the table.
        let order: [String]
    }

    /// A row of `Z_PRIMARYKEY`.
    struct NumberedEntity {
        /// The number that rows have in `Z_ENT`.
        let number: Int64
        /// The name.
        let name: String
        /// The number of the entity from which it inherits; 0 for none.
        let parentNumber: Int64
    }

    /// The tables by their names in capital letters.
    let tables: [String: Table]
    /// The entities of the store without those of the change history, in the order of their numbers.
    let entities: [NumberedEntity]
    /// SQLite's version of the schema; nil for tables that are not in a store.
    private(set) var schemaVersion: Int64?
    /// The numbers of the entities.
    let numbers: Set<Int64>
    /// The tables that may hold pairs of keys, in the order of their names, by the titles of their columns
    /// without digits at the end.
    private let joinTables: [String: [JoinTable]]

    /// The first number that Core Data uses for its own entities.
    static let firstInternalNumber: Int64 = 16_000

    /// The names of the system tables.
    private static let systemNames: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

    /// Reads the schema of a store.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/foreignStore`` for a database that is
    ///   not a store of Core Data.
    init(of store: PreservedStore) throws(ObjectStorageError) {
        // Read first: a schema that changes while it is read has another version afterwards.
        let version = try store.rows("PRAGMA main.schema_version").first?.first
        var tables: [String: Table] = [:]
        // A virtual table has no pages in the file, so its root page is 0.
        let names = try store.rows(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
        for row in names {
            guard case .text(let name) = row[0] else { continue }
            let rows = try store.rows("PRAGMA main.table_xinfo(\(name.quotedIdentifier))")
            var columns: [String: String] = [:]
            var order: [String] = []
            for case .text(let column) in rows.map({ $0[1] }) {
                columns[column.uppercased()] = column
                order.append(column.uppercased())
            }
            tables[name.uppercased()] = Table(name: name, columns: columns, order: order)
        }
        guard tables["Z_PRIMARYKEY"] != nil, tables["Z_METADATA"] != nil else {
            throw ObjectStorageError(
                .foreignStore,
                "The file is an SQLite database, but not a store of Core Data: it has no tables Z_METADATA and Z_PRIMARYKEY. Check the path."
            )
        }
        let rows = try store.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM main.Z_PRIMARYKEY ORDER BY Z_ENT")
        let entities: [NumberedEntity] = rows.compactMap { row in
            guard case .integer(let number) = row[0], case .text(let name) = row[1],
                number < Self.firstInternalNumber
            else { return nil }
            if case .integer(let parent) = row[2] {
                return NumberedEntity(number: number, name: name, parentNumber: parent)
            }
            return NumberedEntity(number: number, name: name, parentNumber: 0)
        }
        self.init(tables: tables, entities: entities)
        if case .integer(let version) = version { schemaVersion = version }
    }

    /// Creates the schema of a store from its tables, by their names in capital letters.
    init(tables: [String: Table], entities: [NumberedEntity]) {
        self.tables = tables
        self.entities = entities
        numbers = Set(entities.map(\.number))
        let pairs = tables.keys.filter { $0.hasPrefix("Z_") && !Self.systemNames.contains($0) }.sorted()
            .compactMap { tables[$0].flatMap(JoinTable.init) }
        joinTables = pairs.reduce(into: [:]) { tables, table in
            for title in Set(table.keys.map { ColumnNames.withoutDigits($0.title) }) {
                tables[title, default: []].append(table)
            }
        }
    }

    /// Returns the tables of pairs with a column whose title is a name in capital letters, with or without
    /// digits at the end.
    func joinTables(of title: String) -> [JoinTable] { joinTables[ColumnNames.withoutDigits(title)] ?? [] }
}

/// A table of pairs of keys.
struct JoinTable {
    /// A column of keys: `Z_12ALBUMS`.
    struct Column: Hashable {
        /// The name as in the schema.
        let name: String
        /// The number of the entity whose keys it has; nil for the column `REFLEXIVE`.
        let number: Int64?
        /// The part of the name after the number: a relationship's name in capital letters, with a digit if
        /// it would not be unique.
        let title: String

        /// Returns whether the column may belong to a relationship, by its exact name or with digits after
        /// the name.
        func fits(_ relationship: String, exactly: Bool) -> Bool {
            exactly ? title == relationship : ColumnNames.isSuffixed(title, relationship)
        }
    }

    /// The name as in the schema.
    let name: String
    /// The two columns of keys.
    let keys: [Column]
    /// The columns of positions, by the part of their names after `Z_FOK_`.
    let orders: [String: String]

    /// Creates a description of a table; nil unless the table has exactly two columns of keys.
    init?(_ table: StoreTables.Table) {
        var keys: [Column] = []
        var orders: [String: String] = [:]
        for upper in table.order {
            let name = table.columns[upper] ?? upper
            if upper.hasPrefix("Z_FOK_") {
                orders[String(upper.dropFirst(6))] = name
            } else if upper == "REFLEXIVE" {
                keys.append(Column(name: name, number: nil, title: upper))
            } else if upper.hasPrefix("Z_"), let (number, title) = ColumnNames.numbered(upper.dropFirst(2)) {
                keys.append(Column(name: name, number: number, title: title))
            } else {
                return nil
            }
        }
        guard keys.count == 2 else { return nil }
        name = table.name
        self.keys = keys
        self.orders = orders
    }

    /// Returns the column that orders the keys of a column; nil if there is none.
    func order(of column: Column) -> String? {
        orders[column.number.map { "\($0)\(column.title)" } ?? column.title]
    }
}

/// The parts of the names that Core Data gives to columns.
enum ColumnNames {
    /// Returns the number at the beginning of a name and the rest; nil without a number or a rest.
    static func numbered(_ name: Substring) -> (number: Int64, title: String)? {
        let digits = name.prefix { ("0"..."9").contains($0) }
        guard let number = Int64(digits), digits.count < name.count else { return nil }
        return (number, String(name.dropFirst(digits.count)))
    }

    /// Returns a name without the digits at its end.
    static func withoutDigits(_ name: String) -> String {
        var name = name[...]
        while let last = name.last, ("0"..."9").contains(last) { name.removeLast() }
        return String(name)
    }

    /// Returns whether a name consists of another name and any number of digits.
    static func isSuffixed(_ name: String, _ base: String) -> Bool {
        name.hasPrefix(base) && name.dropFirst(base.count).allSatisfy { ("0"..."9").contains($0) }
    }
}
