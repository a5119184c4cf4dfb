import Crypto
import GRDB
import InternalUtilities
import Mutants

/// The version of a store's data, for the tables that a request reads.
///
/// Two states are equal only if the tables hold the same data: each table's state is a random nonce that
/// every transaction which changes the table replaces. A counter would return to an old value after a
/// restored backup or a lost write-ahead log; a nonce does not. States have no order.
package struct StoreState: Hashable, Sendable {
    /// The state of one table.
    package struct Table: Hashable, Sendable {
        /// The name of the table.
        package let tableName: String
        /// The number of stamped changes (8 bytes, little-endian) and the nonce (16 bytes).
        package private(set) var state: [UInt8]

        /// Creates a state.
        package init(tableName: String, state: [UInt8]) {
            self.tableName = tableName
            self.state = state
        }

        /// Advances to the state after a transaction, if the transaction began with this one.
        ///
        /// - Returns: Whether it did.
        package mutating func pass(_ transition: TableTransition) -> Bool {
            guard transition.tableName == tableName, transition.before == state,
                let after = transition.after
            else { return false }
            state = after
            return true
        }
    }

    /// The store's random identity, 16 bytes, created with the store and copied with it.
    package let storeIdentity: [UInt8]
    /// The store's key for authenticating cached data about it, 32 bytes.
    package let authenticationKey: [UInt8]
    /// A digest of the tables, their unique indexes and their triggers, 32 bytes.
    package let schemaDigest: [UInt8]
    /// The states of the tables, in the order of their names.
    package let tables: [Table]
    /// Whether all tables were stamped or confirmed under the current version of the schema. If not, the log
    /// does not continue across the next change.
    package let isConfirmed: Bool
}

/// The result of reading a store's state.
package enum StoreStateResult: Sendable {
    /// The state of the snapshot.
    case stamped(StoreState)
    /// Tables that were changed by a program that does not stamp, or that lost their triggers: they have no
    /// state until the next stamp.
    case dirty(tableNames: [String])
    /// The store is an application's database without tracking: no table has a state.
    case untracked
    /// The store is untracked, and its files do not show whether its data changed, for this reason.
    case unsettled(String)
}

extension StoreState {
    /// Reads the state of tables in the current transaction of `database`.
    ///
    /// - Parameters:
    ///   - names: The names of the tables, sorted, each once.
    ///   - known: The schema that the last call on this connection computed; updated by this call.
    /// - Complexity: O(*n*) in the number of tables: some tens of microseconds, and less if the schema is
    ///   known.
    static func read(
        _ names: [String], in database: any StatementSource, known: LockedValue<KnownSchema?>? = nil
    ) throws -> StoreStateResult {
        let parameters = names.indices.dropFirst().reduce("?1") { "\($0), ?\($1 + 1)" }
        let values = names.map(StoredValue.text)
        let version = try database.schemaVersionValue()
        guard ChangeTracking.isTrackedVersion(version) else { return .dirty(tableNames: names) }
        let generations = try database.controlRows(ChangeTracking.stampedTablesSQL(parameters), values)
        let schema: KnownSchema
        if let last = known?.withLock({ $0 }), last.version == version, last.names == names {
            schema = last
        } else {
            schema = KnownSchema(
                version: version, names: names,
                rows: try database.rows(SchemaFingerprint.rowsSQL(parameters), values),
                layout: try SchemaLayout(of: names, in: database))
            known?.withLock { $0 = schema }
        }
        guard schema.layout.isOurs else { return .dirty(tableNames: names) }
        var tables: [Table] = []
        var dirty = names
        var isConfirmed = true
        for row in generations {
            guard case .text(let name) = row[0], case .integer(let sequence) = row[1],
                case .blob(let nonce) = row[2], nonce.count == 16,
                let index = names.firstIndex(of: name), row[3] == .blob(schema.fingerprints[index]),
                let stampedSchema = StampedSchema(row[4]),
                stampedSchema.counts(under: version, digest: schema.layout.digest(of: name))
                    || Mutant.countedVersion.isPlanted
            else { continue }
            isConfirmed = isConfirmed && stampedSchema.isConfirmed(under: version)
            dirty.removeAll { $0 == name }
            let counter = withUnsafeBytes(of: sequence.littleEndian) { Array($0) }
            tables.append(Table(tableName: name, state: counter + nonce))
        }
        guard dirty.isEmpty else { return .dirty(tableNames: dirty) }
        let store =
            try database.controlRows("SELECT uuid, mackey FROM main.sc_store WHERE id = 1").first ?? []
        // Another program can write any value to the file; values of the wrong form give no state.
        guard store.count == 2, case .blob(let identity) = store[0], case .blob(let key) = store[1],
            identity.count == 16 && key.count == 32 || Mutant.uncheckedIdentity.isPlanted
        else {
            return .dirty(tableNames: names)
        }
        return .stamped(
            StoreState(
                storeIdentity: identity, authenticationKey: key,
                schemaDigest: schema.digest, tables: tables, isConfirmed: isConfirmed))
    }
}

extension StatementSource {
    /// Returns the rows of a control table; none if the table or one of its columns is missing.
    func controlRows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
        do {
            return try rows(sql, values)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return []
        }
    }
}

/// The origin of a store's triggers, valid while SQLite's schema version is unchanged.
struct KnownTriggers: Sendable {
    /// The schema version.
    let version: StoredValue
    /// Whether no other program has triggers in the store.
    let areAllOurs: Bool
    /// The names of the tables whose log has the objects to which changed references of rows led before.
    let tablesLoggingOwners: Set<String>
}

/// The part of the schema that a state depends on, for a set of tables. It is valid while SQLite's schema
/// version is unchanged; SQLite's compiled statements rely on the version as well.
struct KnownSchema: Sendable {
    /// The schema version.
    let version: StoredValue
    /// The names of the tables.
    let names: [String]
    /// The rows of ``SchemaFingerprint/rowsSQL(_:)``.
    let rows: [[StoredValue]]
    /// The digests of the tables' fingerprints.
    let fingerprints: [[UInt8]]
    /// The digest of the whole schema, except for indexes that are not unique.
    let digest: [UInt8]
    /// The positions of the objects by which changes are detected.
    let layout: SchemaLayout

    init(version: StoredValue, names: [String], rows: [[StoredValue]], layout: SchemaLayout) {
        self.layout = layout
        self.version = version
        self.names = names
        self.rows = rows
        var encoder = CanonicalEncoder()
        var fingerprints: [[UInt8]] = []
        for name in names {
            let fingerprint = SchemaFingerprint.digest(of: name, in: rows)
            encoder.append(fingerprint)
            fingerprints.append(fingerprint)
        }
        for row in rows where row[4] != .integer(1) && row[0] != .text("index") {
            for value in row { encoder.append(value) }
        }
        self.fingerprints = fingerprints
        digest = Array(SHA256.hash(data: encoder.bytes))
    }
}
