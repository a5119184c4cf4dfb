import Crypto
import Mutants

/// What a table's triggers depend on and are: the table's columns, its unique indexes, and the triggers' own
/// texts.
///
/// Its digest is kept when triggers are made, and compared whenever the table's state is read. Triggers that
/// somebody dropped or wrote anew, and columns and unique indexes that came later, are so found out without
/// working out the triggers.
enum SchemaFingerprint {
    /// The statement that reads the schema of some tables: the columns of `sqlite_schema`, and whether the
    /// row is part of the shape. SQLite begins the texts of unique indexes like this, however they were
    /// written.
    static func rowsSQL(_ parameters: String) -> String {
        """
        SELECT type, name, tbl_name, sql, type = 'table' OR type = 'trigger' AND name GLOB 'sc_*' \
        OR type = 'index' AND sql GLOB 'CREATE UNIQUE *' \
        FROM main.sqlite_schema WHERE tbl_name COLLATE NOCASE IN (\(parameters)) ORDER BY name, type
        """
    }

    /// The digest of a table's shape, 32 bytes, of the rows that ``rowsSQL(_:)`` gives.
    static func digest(of tableName: String, in rows: [[StoredValue]]) -> [UInt8] {
        var encoder = CanonicalEncoder()
        let name = StoredValue.text(tableName)
        for row in rows where row[4] == .integer(1) && row[2] == name {
            if Mutant.noTriggerDigest.isPlanted, row[0] == .text("trigger") { continue }
            encoder.append(row[1])
            encoder.append(row[3])
        }
        return Array(SHA256.hash(data: encoder.bytes))
    }

    /// The digest of a table's shape as it is now.
    static func read(_ tableName: String, in database: any StatementSource) throws -> [UInt8] {
        digest(of: tableName, in: try database.rows(rowsSQL("?1"), [.text(tableName)]))
    }
}
