import Crypto
import GRDB
import InternalUtilities
import Mutants

/// The positions of the schema objects that detect changes of tables: their rows in `sqlite_schema`.
///
/// SQLite gives a new object the largest row ID plus one. The empty table `sc_anchor` follows the tracked
/// tables, the control tables and all of their triggers. As long as it is in its position, any of those
/// objects that is dropped and created again gets another row ID. So equal layouts mean that the same objects
/// existed all the time. A dump and `VACUUM` move triggers after all tables, so there the anchor is invalid
/// until it is created again.
struct SchemaLayout {
    private struct Row {
        let rowID: Int64
        let type: String
        let name: String
        let tableName: String
        let rootPage: StoredValue
        let sql: String?
    }

    private let rows: [Row]
    /// Whether the control tables have no objects of other programs: no trigger that could undo the library's
    /// writes, and no index or constraint that could prevent them.
    let isOurs: Bool
    /// Whether the log has the triggers that detect the loss of entries.
    let hasLogGuards: Bool

    private static let controlTables = ["sc_store", "sc_gen", "sc_log", "sc_epoch", "sc_anchor"]

    /// Reads the layout of tables in the current transaction of `database`.
    ///
    /// - Complexity: O(*n*) in the objects of the schema.
    init(of tableNames: [String], in database: any StatementSource) throws {
        let names = tableNames + Self.controlTables
        let parameters = names.indices.dropFirst().reduce("?1") { "\($0), ?\($1 + 1)" }
        rows = try database.rows(
            """
            SELECT rowid, type, name, tbl_name, rootpage, sql FROM main.sqlite_schema
            WHERE tbl_name COLLATE NOCASE IN (\(parameters)) ORDER BY rowid
            """, names.map(StoredValue.text)
        ).compactMap { row in
            guard case .integer(let rowID) = row[0], case .text(let type) = row[1],
                case .text(let name) = row[2], case .text(let tableName) = row[3]
            else { return nil }
            let sql: String? = if case .text(let text) = row[5] { text } else { nil }
            return Row(
                rowID: rowID, type: type, name: name, tableName: tableName.asciiLowercased,
                rootPage: row[4], sql: sql)
        }
        let guards = StoreSchema.logGuards
        let control = rows.filter { Self.controlTables.contains($0.tableName) }
        isOurs =
            Mutant.foreignControl.isPlanted
            || control.allSatisfy { row in
                switch row.type {
                case "table":
                    // SQLite may silently omit a row if a constraint of another program says so.
                    row.name != "sc_gen"
                        || row.sql.map { sql in
                            !sql.containsBytes(of: "CONFLICT", ignoresCase: true)
                                && !sql.containsBytes(of: "CHECK", ignoresCase: true)
                                && !sql.containsBytes(of: "GENERATED", ignoresCase: true)
                        } ?? true
                case "index": row.sql == nil
                default: guards.contains { $0.name == row.name && $0.sql == row.sql }
                }
            }
        hasLogGuards =
            guards.allSatisfy { guardian in control.contains { $0.name == guardian.name } }
    }

    /// Returns whether the schema is in the order that `VACUUM` produces: tables, indexes, then triggers and
    /// views. Otherwise the anchor of a store follows its triggers.
    ///
    /// The dumps of the `sqlite3` shell and of Python write an index that was created after a trigger behind
    /// it. A dump of a store without indexes, and one of a program that writes triggers last, have the same
    /// order as a `VACUUM`.
    static func isInOrderOfVacuum(in database: any StatementSource) throws -> Bool {
        let rows = try database.rows(
            """
            SELECT CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END AS kind, name
            FROM main.sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence' ORDER BY rowid
            """)
        let kinds = rows.compactMap { if case .integer(let kind) = $0[0] { kind } else { nil } }
        return zip(kinds, kinds.dropFirst()).allSatisfy { $0 <= $1 }
            && rows.contains { $0[1] == .text("sc_anchor") }
    }

    /// Returns the digest of the schema objects that detect changes of a table, in hexadecimal digits; empty
    /// if a different layout could have an equal digest.
    ///
    /// It covers the table, all of its triggers, the control tables and the anchor: their positions, texts
    /// and root pages. Other tables, indexes and views may be created and dropped.
    ///
    /// A table of another program whose columns appear in no trigger of the library has no digest: SQLite
    /// allows a column there to be dropped and added again, which loses its values and leaves the text
    /// unchanged.
    func digest(of tableName: String) -> String {
        let tableName = tableName.asciiLowercased
        guard isOurs, let anchor = rows.first(where: { $0.name == "sc_anchor" }) else { return "" }
        let noticing = rows.filter { row in
            row.type != "index"
                && (row.tableName == tableName || Self.controlTables.contains(row.tableName))
        }
        guard Mutant.unplacedLayout.isPlanted || noticing.allSatisfy({ $0.rowID <= anchor.rowID }),
            noticing.contains(where: { $0.type == "table" && $0.tableName == tableName }),
            noticing.contains(where: {
                $0.type == "trigger" && $0.tableName == tableName
                    && $0.name.asciiLowercased == "sc_\(tableName)_update"
                    && $0.sql?.containsBytes(of: " COLLATE BINARY") == true
            })
        else { return "" }
        var encoder = CanonicalEncoder()
        for row in noticing.sorted(by: { ($0.type, $0.name) < ($1.type, $1.name) }) {
            if !Mutant.unplacedLayout.isPlanted {
                encoder.append(StoredValue.integer(row.rowID))
                encoder.append(row.rootPage)
            }
            encoder.append(StoredValue.text(row.name))
            encoder.append(row.sql.map(StoredValue.text) ?? .null)
        }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in SHA256.hash(data: encoder.bytes).prefix(16) {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// The text with the letters A to Z in lower case, as SQLite compares names.
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
