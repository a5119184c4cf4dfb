import GRDB
import Mutants

/// SQLite's count of changes of the schema, which tells a store from one that was made again from its
/// statements.
///
/// `.dump` writes out the nonces, and its triggers come after its rows. A store that is made from it, edited
/// or cut short on the way, so has the nonces of one with other data, and counts as many changes of its
/// schema if that one's never changed. A database counts from zero; a tracked one goes on from a random
/// number that none gets to by counting. Source: `PRAGMA schema_version`, sqlite.org/pragma.html.
///
/// Such a store may also be put into the file of a tracked one (`.restore`), whose number then rises by one.
/// So the number that it had when a table was stamped is kept in the log, and a nonce counts for nothing under
/// another one.
extension ChangeTracking {
    /// No database gets here by counting.
    private static let leastVersion: Int64 = 1 << 24
    /// From here on there is room to count, in 31 bits.
    private static let greatestVersion: Int64 = 1 << 30

    /// Whether nonces that are in a database of this version were made there, or in one that it is a copy of.
    static func isTrackedVersion(_ version: StoredValue) -> Bool {
        guard case .integer(let number) = version else { return false }
        return number >= leastVersion || Mutant.countedVersion.isPlanted
    }

    /// What the state of some tables is made of: name, number and nonce of the last stamp, the shape of the
    /// table, and the version of the schema when it was stamped.
    ///
    /// - Parameter parameters: The names.
    static func stampedTablesSQL(_ parameters: String) -> String {
        """
        SELECT tbl, seq, nonce, shape,
            (SELECT schema FROM main.sc_epoch WHERE sc_epoch.gen = sc_gen.id AND sc_epoch.seq = sc_gen.seq)
        FROM main.sc_gen WHERE tbl IN (\(parameters)) ORDER BY tbl
        """
    }

    /// Gives a database that counts from zero a version of its own, and takes away all nonces, which are
    /// another one's.
    ///
    /// A connection that SQLite protects from itself (`SQLITE_DBCONFIG_DEFENSIVE`) leaves the version as it
    /// is; then no table has a state.
    ///
    /// - Returns: The version that it has, and whether all nonces were taken away.
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
