import GRDB

/// The part of a tracked table's schema in the database on which its triggers depend.
struct TableLayout {
    /// A stored column.
    struct Column {
        /// The affinity of a column, as far as it is relevant to the triggers.
        enum Affinity { case numeric, real, text, none }

        /// The name as an SQL identifier.
        let name: String
        let affinity: Affinity
    }

    /// Columns whose combined values must differ between rows.
    struct UniqueKey {
        /// The columns as SQL identifiers, their collations in the index, and as SQL the value by which
        /// `OR REPLACE` replaces NULL, which triggers do not see; nil if NULL is kept or refused.
        var columns: [(name: String, collation: String, replacement: String?)]
        /// The condition for the rows in the index, as SQL; nil for all rows.
        let condition: String?
    }

    /// The columns, without generated ones.
    let columns: [Column]
    /// The unique keys by which a new row can displace rows with other keys.
    let displacingKeys: [UniqueKey]
    /// Whether ``displacingKeys`` is complete. An index over expressions, or over some rows of an existing
    /// table, is not included.
    let isCovered: Bool

    /// Reads the layout of a table.
    init(of table: TrackedTable, in database: any StatementSource) throws {
        let name = table.name.quotedIdentifier
        var columns: [Column] = []
        var columnNames: [String] = []
        var defaults: [String: String] = [:]
        var keyParts: [(name: String, isInteger: Bool)] = []
        for row in try database.rows("PRAGMA main.table_xinfo(\(name))") {
            guard case .text(let column) = row[1], case .text(let type) = row[2] else { continue }
            columnNames.append(column.lowercased())
            if row[3] == .integer(1), case .text(let value) = row[4] {
                defaults[column.columnIdentifier] = value
            }
            if row[5] != .integer(0) { keyParts.append((column, type.uppercased() == "INTEGER")) }
            if row[6] == .integer(0) {
                columns.append(Column(name: column.columnIdentifier, affinity: .init(ofType: type)))
            }
        }
        var keys: [UniqueKey] = []
        var isCovered = true
        var primaryKeyIndex: UniqueIndex?
        for row in try database.rows("PRAGMA main.index_list(\(name))") where row[2] == .integer(1) {
            guard case .text(let indexName) = row[1] else { continue }
            let index = try UniqueIndex(indexName, isPartial: row[4] != .integer(0), of: table, in: database)
            if row[3] == .text("pk") { primaryKeyIndex = index }
            if var key = index.key {
                for position in key.columns.indices {
                    let value = defaults[key.columns[position].name]
                    key.columns[position].replacement = value
                    // The value of an expression may be different each time.
                    if let value, !Self.isLiteral(value) { isCovered = false }
                }
                keys.append(key)
            } else {
                isCovered = false
            }
        }
        // SQLite's row ID is unique as well, as a column or in addition to the columns.
        if primaryKeyIndex.map(\.leadsToRowID) ?? true {
            let alias =
                primaryKeyIndex == nil && keyParts.count == 1 && keyParts[0].isInteger
                ? keyParts[0].name
                : ["rowid", "oid", "_rowid_"].first { !columnNames.contains($0) }
            if let alias {
                keys.append(UniqueKey(columns: [(alias.columnIdentifier, "BINARY", nil)], condition: nil))
            } else {
                isCovered = false
            }
        }
        // A unique key that contains the key columns displaces only a row with the key of the new row.
        displacingKeys = keys.filter { key in
            !table.keyColumns.allSatisfy { column in
                key.columns.contains { $0.name.lowercased() == column.lowercased() }
            }
        }
        self.columns = columns
        self.isCovered = isCovered
    }

    /// Returns whether a default value is a number, a text or a blob.
    private static func isLiteral(_ sql: String) -> Bool {
        var text = sql.utf8[...]
        if text.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }) { return true }
        if let first = text.first, "xX".utf8.contains(first) { text = text.dropFirst() }
        let quote = UInt8(ascii: "'")
        guard text.count >= 2, text.first == quote, text.last == quote else { return false }
        // Quotes inside the literal are doubled.
        let inner = text.dropFirst().dropLast().split(separator: quote, omittingEmptySubsequences: false)
        return inner.count % 2 == 1
            && inner.indices.allSatisfy {
                $0 == 0 || $0 == inner.count - 1 || $0 % 2 == 0 || inner[$0].isEmpty
            }
    }
}

extension TableLayout.Column.Affinity {
    /// Creates the affinity of a declared type. Source: "Datatypes In SQLite", section 3.1.
    init(ofType type: String) {
        let type = Array(type.uppercased().utf8)
        // Compared byte by byte, as SQLite does.
        func has(_ words: String...) -> Bool {
            words.contains { word in type.indices.contains { type[$0...].starts(with: word.utf8) } }
        }
        self =
            if has("INT") {
                .numeric
            } else if has("CHAR", "CLOB", "TEXT") {
                .text
            } else if type.isEmpty || has("BLOB") {
                .none
            } else if has("REAL", "FLOA", "DOUB") {
                .real
            } else {
                .numeric
            }
    }
}

/// A unique index as described by SQLite.
private struct UniqueIndex {
    /// The key; nil for an index whose rows no trigger can determine.
    var key: TableLayout.UniqueKey?
    /// Whether its entries end in a row ID: false for the primary key of a table `WITHOUT ROWID`.
    var leadsToRowID = false

    init(_ name: String, isPartial: Bool, of table: TrackedTable, in database: any StatementSource) throws {
        var columns: [(name: String, collation: String, replacement: String?)] = []
        var hasExpressions = false
        for row in try database.rows("PRAGMA main.index_xinfo(\(name.quotedIdentifier))") {
            if row[1] == .integer(-1) { leadsToRowID = true }
            guard row[5] == .integer(1) else { continue }
            if case .text(let column) = row[2], case .text(let collation) = row[4] {
                columns.append((column.columnIdentifier, collation, nil))
            } else {
                hasExpressions = true
            }
        }
        guard !hasExpressions else { return }
        var condition: String?
        if isPartial {
            condition = table.isOurs ? try Self.condition(ofIndexNamed: name, in: database) : nil
            if condition == nil { return }
        }
        key = TableLayout.UniqueKey(columns: columns, condition: condition)
    }

    /// Returns the condition of a partial index of the library: the rows of one entity in a table of several.
    private static func condition(
        ofIndexNamed name: String, in database: any StatementSource
    ) throws -> String? {
        let rows = try database.rows(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND name = ?1", [.text(name)])
        guard case .text(let sql)? = rows.first?.first,
            let start = sql.firstRange(of: ") WHERE \".entity\" IN (")
        else { return nil }
        return String(sql[sql.index(start.lowerBound, offsetBy: 8)...])
    }
}
