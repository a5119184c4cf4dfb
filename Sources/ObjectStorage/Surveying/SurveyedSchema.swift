import InternalUtilities
import ObjectModel

/// The tables of a database with their columns, keys and foreign keys, as its schema declares them.
struct SurveyedSchema {
    struct Column {
        let name: String
        /// The declared type as it is written; empty if none is declared.
        let declaredType: String
        let isRequired: Bool
        /// The position in the primary key, from 1; 0 for a column that is not in it.
        let keyPosition: Int64
        let isGenerated: Bool
        /// The default value as SQL; nil without one.
        let defaultSQL: String?

        /// The declared type in upper case.
        var type: String { declaredType.uppercased() }
    }

    struct ForeignKey {
        var columns: [String]
        let tableName: String
        /// The columns of the other table; nil for its primary key.
        var destinations: [String?]
        /// The action on deletion: `CASCADE`, `SET NULL` and others.
        let actionOnDelete: String
    }

    /// A unique index that contains all rows.
    struct UniqueIndex {
        let columns: [String]
        let isPrimaryKey: Bool
    }

    struct Table {
        let name: String
        let kind: DatabaseSurvey.Table.Kind
        var columns: [Column] = []
        /// Columns whose names differ from earlier ones only in the encoding of their characters, such as é
        /// as one character and as two. Swift treats such names as equal, so these columns are omitted.
        var ambiguousColumns: [Column] = []
        var uniqueIndexes: [UniqueIndex] = []
        var foreignKeys: [ForeignKey] = []
        /// The name under which row IDs that no column declares can be read; nil for a table without them.
        var rowIDName: String?
        /// The reason why the table could not be read; nil if it could.
        var problem: String?
        /// Whether the problem is a failure of reading the table.
        var isUnreadable = false

        var keyColumns: [Column] {
            columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
        }

        /// The table as written in SQL.
        var sql: String { "main." + name.quotedIdentifier }

        func column(named name: String) -> Column? {
            columns.first { $0.name == name } ?? columns.first { $0.name.lowercased() == name.lowercased() }
        }
    }

    /// All tables and views in the order of the schema, without SQLite's own.
    private(set) var tables: [Table] = []

    /// Reads the schema of the main database. A table that cannot be read has a problem instead of columns.
    ///
    /// - Parameter views: The views that may be read.
    /// - Throws: `DatabaseError` if the list of tables cannot be read.
    init(views: StoreOptions.ReadableViews, in source: any StatementSource) throws {
        var virtualTables: [(name: String, module: String)] = []
        let rows = try source.rows(
            "SELECT name, type, rootpage, sql FROM main.sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid"
        )
        for row in rows {
            guard case .text(let name) = row[0], row[1] == .text("table"), row[2] == .integer(0) else {
                continue
            }
            var module = ""
            if case .text(let sql) = row[3] { module = Self.module(ofVirtualTable: sql) }
            virtualTables.append((name, module))
        }
        for row in rows {
            guard case .text(let name) = row[0] else { continue }
            let lowercased = name.lowercased()
            if lowercased.hasPrefix("sqlite_") { continue }
            let kind: DatabaseSurvey.Table.Kind =
                if row[1] == .text("view") {
                    .view
                } else if row[2] == .integer(0) {
                    .virtualTable
                } else if lowercased.hasPrefix("sc_") {
                    .controlTable
                } else if virtualTables.contains(where: { Self.isShadow(lowercased, of: $0) }) {
                    .shadowTable
                } else {
                    .table
                }
            var table = Table(name: name, kind: kind)
            if tables.contains(where: { $0.name == name }) {
                table.problem =
                    "its name differs from that of another table only in the encoding of its characters"
            } else if kind == .table {
                do {
                    try Self.read(&table, in: source)
                } catch {
                    table.isUnreadable = true
                    table.problem =
                        ObjectStorageError(error, while: "Reading the table “\(name)”").messageAsReason
                }
            }
            if kind == .view, table.problem == nil, views.contains(name) {
                Self.readView(&table, in: source)
            }
            tables.append(table)
        }
    }

    /// Returns the table with a name, in any case.
    func table(named name: String) -> Table? {
        tables.first { $0.name == name } ?? tables.first { $0.name.lowercased() == name.lowercased() }
    }

    /// Returns the module of a virtual table: the word after `USING`.
    private static func module(ofVirtualTable sql: String) -> String {
        let words = sql.split { " \n\t\r(".contains($0) }.map { $0.lowercased() }
        guard let position = words.firstIndex(of: "using"), position + 1 < words.count else { return "" }
        return words[position + 1]
    }

    /// The endings of the tables in which the modules of SQLite keep the contents of a virtual table.
    private static let shadowEndings: [String: Set<String>] = [
        "fts3": ["content", "segments", "segdir", "docsize", "stat"],
        "fts4": ["content", "segments", "segdir", "docsize", "stat"],
        "fts5": ["data", "idx", "content", "docsize", "config"],
        "rtree": ["node", "parent", "rowid"], "rtree_i32": ["node", "parent", "rowid"],
        "geopoly": ["node", "parent", "rowid"],
    ]

    private static func isShadow(_ name: String, of table: (name: String, module: String)) -> Bool {
        let prefix = table.name.lowercased() + "_"
        guard name.hasPrefix(prefix), let endings = shadowEndings[table.module] else { return false }
        return endings.contains(String(name.dropFirst(prefix.count)))
    }

    private static func read(_ table: inout Table, in source: any StatementSource) throws {
        let name = table.name.quotedIdentifier
        let columns = try source.rows("PRAGMA main.table_xinfo(\(name))").compactMap { row -> Column? in
            guard case .text(let name) = row[1], case .text(let type) = row[2],
                case .integer(let position) = row[5]
            else { return nil }
            var defaultSQL: String?
            if case .text(let text) = row[4] { defaultSQL = text }
            return Column(
                name: name, declaredType: type, isRequired: row[3] != .integer(0), keyPosition: position,
                isGenerated: row[6] != .integer(0), defaultSQL: defaultSQL)
        }
        for column in columns {
            if table.columns.contains(where: { $0.name == column.name }) {
                table.ambiguousColumns.append(column)
            } else {
                table.columns.append(column)
            }
        }
        table.uniqueIndexes = try source.rows("PRAGMA main.index_list(\(name))").compactMap { row in
            guard case .text(let index) = row[1], row[2] == .integer(1), row[4] == .integer(0) else {
                return nil
            }
            let columns = try source.rows("PRAGMA main.index_info(\(index.quotedIdentifier))").map { row in
                if case .text(let column) = row[2] { column } else { "" }
            }
            return UniqueIndex(columns: columns, isPrimaryKey: row[3] == .text("pk"))
        }
        var foreignKeys: [Int64: ForeignKey] = [:]
        for row in try source.rows("PRAGMA main.foreign_key_list(\(name))") {
            guard case .integer(let number) = row[0], case .text(let other) = row[2],
                case .text(let column) = row[3], case .text(let action) = row[6]
            else { continue }
            var destination: String?
            if case .text(let text) = row[4] { destination = text }
            var key =
                foreignKeys[number]
                ?? ForeignKey(columns: [], tableName: other, destinations: [], actionOnDelete: action)
            key.columns.append(column)
            key.destinations.append(destination)
            foreignKeys[number] = key
        }
        // SQLite lists the last foreign key of a table first.
        table.foreignKeys = foreignKeys.sorted { $0.key > $1.key }.map(\.value)
        let declared = Set(table.columns.map { $0.name.lowercased() })
        table.rowIDName = ["rowid", "_rowid_", "oid"].first { !declared.contains($0) }
        if let rowIDName = table.rowIDName {
            do {
                _ = try source.rows("SELECT \(rowIDName.columnIdentifier) FROM \(table.sql) LIMIT 0")
            } catch {
                // A table WITHOUT ROWID has none.
                table.rowIDName = nil
            }
        }
    }
}
