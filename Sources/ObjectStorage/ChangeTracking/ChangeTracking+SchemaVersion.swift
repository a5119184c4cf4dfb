import GRDB
import Mutants

/// SQLite's count of schema changes, which distinguishes a store from a copy that was rebuilt from its SQL
/// statements.
///
/// The output of `.dump` contains the nonces, and its triggers follow its rows. A store that is rebuilt from
/// an edited or truncated dump therefore has the nonces of another store's data, and the same count of schema
/// changes if the original's schema never changed. An ordinary database counts from zero; a tracked one
/// continues from a random number that no count reaches. Source: `PRAGMA schema_version`,
/// sqlite.org/pragma.html.
///
/// Such a store may also be written into the file of a tracked one (`.restore`), whose count then increases
/// by one. The log therefore records the count at which a table was stamped, and a nonce is invalid under
/// another count.
extension ChangeTracking {
    /// The smallest random count, which no database reaches by counting.
    private static let leastVersion: Int64 = 1 << 24
    /// The limit of random counts, which leaves room for counting in 31 bits.
    private static let greatestVersion: Int64 = 1 << 30

    /// Returns whether the nonces in a database with this count were written there, or in a database of which
    /// it is a copy.
    static func isTrackedVersion(_ version: StoredValue) -> Bool {
        guard case .integer(let number) = version else { return false }
        return number >= leastVersion || Mutant.countedVersion.isPlanted
    }

    /// Returns the SQL that selects the parts of the state of tables: the name, the number and nonce of the
    /// last stamp, the schema digest of the table, and the schema version at the stamp.
    ///
    /// - Parameter parameters: The parameters for the names.
    static func stampedTablesSQL(_ parameters: String) -> String {
        """
        SELECT tbl, seq, nonce, shape,
            (SELECT schema FROM main.sc_epoch WHERE sc_epoch.gen = sc_gen.id AND sc_epoch.seq = sc_gen.seq)
        FROM main.sc_gen WHERE tbl IN (\(parameters)) ORDER BY tbl
        """
    }

    /// Gives a database that counts from zero a random count, and clears all nonces, which belong to another
    /// database.
    ///
    /// A connection in SQLite's defensive mode (`SQLITE_DBCONFIG_DEFENSIVE`) does not change the count; then
    /// no table has a state.
    ///
    /// - Returns: The count of the database, and whether all nonces were cleared.
    static func beginVersion(in database: Database) throws -> (version: StoredValue, isNew: Bool) {
        let counted = try database.schemaVersionValue()
        if isTrackedVersion(counted) { return (counted, false) }
        let random = Int64.random(in: leastVersion..<greatestVersion)
        try database.runScript("PRAGMA main.schema_version = \(random)")
        let version = try database.schemaVersionValue()
        guard isTrackedVersion(version) else { return (version, false) }
        try database.run("UPDATE main.sc_gen SET nonce = NULL, room = 0")
        return (version, true)
    }
}
