/// The SQL that makes a store: our control tables, and for each entity a table and its indexes.
enum StoreSchema {
    /// The version of the control tables that this library writes. It reads the one before as well, which has
    /// no log of changed rows.
    static let format: Int64 = 2

    /// Who the store is, and its model.
    static let storeTable = """
        CREATE TABLE main.sc_store (
            id INTEGER PRIMARY KEY CHECK (id = 1), uuid BLOB NOT NULL, mackey BLOB NOT NULL,
            format INTEGER NOT NULL, modelDigest BLOB NOT NULL, model TEXT NOT NULL)
        """

    /// The state of each tracked table: a random nonce, or NULL from the first change of an epoch until it is
    /// stamped; how many more row changes of the epoch are logged, and how many of a new one; and what the
    /// triggers were made for.
    static let generationTable = """
        CREATE TABLE main.sc_gen (
            id INTEGER PRIMARY KEY, tbl TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, nonce BLOB,
            room INTEGER DEFAULT 0, capacity INTEGER NOT NULL DEFAULT 0, shape BLOB)
        """

    /// The models that the store had before, the oldest first. There is none before the first migration.
    static let historyTable = """
        CREATE TABLE IF NOT EXISTS main.sc_history (
            id INTEGER PRIMARY KEY, modelDigest BLOB NOT NULL, model TEXT NOT NULL)
        """

    /// A table of objects. `AUTOINCREMENT` keeps SQLite from giving a deleted object's key to another.
    static func table(_ table: EntityTable, of model: ManagedObjectModel) -> String {
        let root = table.root
        var columns = ["objectID INTEGER PRIMARY KEY AUTOINCREMENT"]
        if let kind = root.kindSQL {
            columns.append("\(kind) TEXT NOT NULL DEFAULT \(root.name.quotedLiteral)")
        }
        for attribute in table.attributes {
            var column = attribute.name.quotedIdentifier
            if !attribute.type.isEmpty { column += " " + attribute.type }
            if let literal = attribute.defaultValue.sqlLiteral { column += " DEFAULT \(literal)" }
            columns.append(column)
        }
        for relationship in table.toOneRelationships {
            let column = "\(relationship.name.quotedIdentifier) INTEGER"
            // Where a deletion is to change nothing, SQLite must not either.
            guard let tableName = model.references(relationship),
                // Nor has an owner's table to bear with a foreign key of ours.
                !model.isKeptByHand(root.name, relationship.destinationEntityName)
            else {
                columns.append(column)
                continue
            }
            columns.append(
                "\(column) REFERENCES \(tableName.quotedIdentifier) (objectID) "
                    + "ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED")
        }
        columns += table.orderedToOneNames.map {
            EntityDescription.orderColumnName(ofToOneNamed: $0).quotedIdentifier + " INTEGER"
        }
        return "CREATE TABLE main.\(root.tableName.quotedIdentifier) (\(columns.joined(separator: ", ")))"
    }

    /// The table of links and its index for the way back. A link goes with either of its objects, by a
    /// foreign key unless one of them is in somebody else's table.
    static func linkTable(_ table: LinkTable, of model: ManagedObjectModel) -> [String] {
        let isKeptByHand = model.isKeptByHand(table.sourceEntityName, table.targetEntityName)
        func reference(_ tableName: String) -> String {
            guard !isKeptByHand else { return "INTEGER NOT NULL" }
            return "INTEGER NOT NULL REFERENCES \(tableName.quotedIdentifier) (objectID) "
                + "ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"
        }
        var columns = [
            "source \(reference(table.sourceTableName))", "target \(reference(table.targetTableName))",
        ]
        if table.hasSourcePosition { columns.append("sourcePosition INTEGER") }
        if table.hasTargetPosition { columns.append("targetPosition INTEGER") }
        let name = table.name.quotedIdentifier
        return [
            "CREATE TABLE main.\(name) (\(columns.joined(separator: ", ")), PRIMARY KEY (source, target)) WITHOUT ROWID",
            "CREATE INDEX main.\("sc_\(table.name)_target".quotedIdentifier) ON \(name) (target, source)",
        ]
    }

    /// The indexes of a table of objects.
    static func indexes(_ table: EntityTable) -> [String] { table.indexes.map { index($0, of: table) } }

    /// An index of a table of objects.
    static func index(_ index: EntityTable.Index, of table: EntityTable) -> String {
        "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX main.\(index.name.quotedIdentifier) "
            + "ON \(table.root.tableName.quotedIdentifier) (\(index.columns.joined(separator: ", ")))"
            + (index.condition.map { " WHERE " + $0 } ?? "")
    }
}

extension StoredValue {
    /// The value as SQL, for `DEFAULT`, which cannot be bound; nil for no value.
    fileprivate var sqlLiteral: String? {
        switch self {
        case .null: nil
        case .integer(let value): String(value)
        case .real(let value): value.isFinite ? "(\(value))" : (value < 0 ? "(-9e999)" : "(9e999)")
        case .text(let value):
            // A literal cannot hold NUL; a text with one is written as the cast of its bytes.
            value.utf8.contains(0)
                ? "(CAST(x'\(Self.hexadecimal(Array(value.utf8)))' AS TEXT))"
                : value.quotedLiteral
        case .blob(let value): "x'\(Self.hexadecimal(value))'"
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
