import Crypto
import Mutants

/// The part of the schema on which a table's triggers depend: the table's columns, its unique indexes, and
/// the texts of the triggers themselves.
///
/// Its digest is stored when triggers are created, and compared whenever the table's state is read. This
/// detects dropped or altered triggers, and new columns and unique indexes, without computing the triggers.
enum SchemaFingerprint {
    /// Returns the statement that reads the schema of tables: the columns of `sqlite_schema`, and whether the
    /// row is part of the fingerprint. SQLite stores the texts of all unique indexes with this beginning,
    /// however they were written.
    static func rowsSQL(_ parameters: String) -> String {
        """
        SELECT type, name, tbl_name, sql, type = 'table' OR type = 'trigger' AND name GLOB 'sc_*' \
        OR type = 'index' AND sql GLOB 'CREATE UNIQUE *' \
        FROM main.sqlite_schema WHERE tbl_name COLLATE NOCASE IN (\(parameters)) ORDER BY name, type
        """
    }

    /// Returns the digest of a table's fingerprint, 32 bytes, from the rows that ``rowsSQL(_:)`` selects.
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

    /// Returns the digest of a table's current fingerprint.
    static func read(_ tableName: String, in database: any StatementSource) throws -> [UInt8] {
        digest(of: tableName, in: try database.rows(rowsSQL("?1"), [.text(tableName)]))
    }
}
