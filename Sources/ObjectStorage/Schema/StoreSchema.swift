/// The SQL that creates a store: the control tables, and for each entity a table and its indexes.
///
/// The tables of the change log and the triggers are in `ChangeTracking/StoreSchema+ChangeLog.swift`, the
/// table of large values and its triggers in `LargeValueTable+Schema.swift`.
enum StoreSchema {
    /// The format version that this library writes. It also reads the previous one, which has no log of
    /// changed rows.
    static let format: Int64 = 2

    /// The identity of the store, and its model.
    static let storeTable = """
        CREATE TABLE main.sc_store (
            id INTEGER PRIMARY KEY CHECK (id = 1), uuid BLOB NOT NULL, mackey BLOB NOT NULL,
            format INTEGER NOT NULL, modelDigest BLOB NOT NULL, model TEXT NOT NULL)
        """

    /// The state of each tracked table: a random nonce, or NULL from the first change of an epoch until the
    /// next stamp; one more than the number of row changes that the log can still record in the epoch, or 0
    /// after an overflow, and that number for a new epoch; and the digest of the schema for which the
    /// triggers were created.
    static let generationTable = """
        CREATE TABLE main.sc_gen (
            id INTEGER PRIMARY KEY, tbl TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, nonce BLOB,
            room INTEGER DEFAULT 0, capacity INTEGER NOT NULL DEFAULT 0, shape BLOB)
        """

    /// The earlier models of the store, the oldest first. The table does not exist before the first
    /// migration.
    static let historyTable = """
        CREATE TABLE IF NOT EXISTS main.sc_history (
            id INTEGER PRIMARY KEY, modelDigest BLOB NOT NULL, model TEXT NOT NULL)
        """

    /// Returns the statement that creates a table of objects. `AUTOINCREMENT` prevents SQLite from reusing
    /// the key of a deleted object.
    static func table(_ table: EntityTable, of model: ManagedObjectModel) -> String {
        let root = table.root
        var columns = ["objectID INTEGER PRIMARY KEY AUTOINCREMENT"]
        if let entityColumn = root.concreteEntitySQL {
            columns.append("\(entityColumn) TEXT NOT NULL DEFAULT \(root.name.quotedLiteral)")
        }
        for attribute in table.attributes {
            var column = attribute.name.quotedIdentifier
            if !attribute.type.isEmpty { column += " " + attribute.type }
            if let literal = attribute.defaultValue.sqlLiteral { column += " DEFAULT \(literal)" }
            columns.append(column)
        }
        for relationship in table.toOneRelationships {
            let column = "\(relationship.name.quotedIdentifier) INTEGER"
            // With the delete rule noAction, SQLite must not clear the reference either.
            guard let tableName = model.references(relationship),
                // An external table must not be referenced by a foreign key of the library.
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

    /// Returns the statements that create a link table and its index for the inverse direction. A link is
    /// deleted with either of its objects, by a foreign key unless one of them is in an external table.
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

    /// Returns the statements that create the indexes of a table of objects.
    static func indexes(_ table: EntityTable) -> [String] { table.indexes.map { index($0, of: table) } }

    /// Returns the statement that creates an index of a table of objects.
    static func index(_ index: EntityTable.Index, of table: EntityTable) -> String {
        "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX main.\(index.name.quotedIdentifier) "
            + "ON \(table.root.tableName.quotedIdentifier) (\(index.columns.joined(separator: ", ")))"
            + (index.condition.map { " WHERE " + $0 } ?? "")
    }
}

extension StoredValue {
    /// The value as SQL, for `DEFAULT`, which cannot be a parameter; nil for null.
    fileprivate var sqlLiteral: String? {
        switch self {
        case .null: nil
        case .integer(let value): String(value)
        case .real(let value): value.isFinite ? "(\(value))" : (value < 0 ? "(-9e999)" : "(9e999)")
        case .text(let value):
            // A literal cannot contain NUL; a text with NUL is written as a cast of its bytes.
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
