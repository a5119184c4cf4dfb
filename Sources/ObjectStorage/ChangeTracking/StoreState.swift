import Crypto
import GRDB
import InternalUtilities
import Mutants

/// What a snapshot of a store is "as of", for the tables that a request reads.
///
/// Two states are equal only if the tables hold the same data: each table's state is a random nonce that
/// every transaction which changes the table replaces. A counter would come back to an old value after a
/// restored backup or a lost write-ahead log; a nonce does not. Nothing here is ordered.
package struct StoreState: Hashable, Sendable {
    /// The state of one table.
    package struct Table: Hashable, Sendable {
        /// The table.
        package let tableName: String
        /// The number of stamped changes (8 bytes, little-endian) and the nonce (16 bytes).
        package private(set) var state: [UInt8]

        /// Makes a state.
        package init(tableName: String, state: [UInt8]) {
            self.tableName = tableName
            self.state = state
        }

        /// Goes on to the state that a transaction left, if the transaction began with this one.
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

    /// The store's random identity, 16 bytes, made with it and copied with it.
    package let storeIdentity: [UInt8]
    /// The store's key for authenticating what is cached about it, 32 bytes.
    package let authenticationKey: [UInt8]
    /// A digest of the tables, their unique indexes and their triggers, 32 bytes.
    package let schemaDigest: [UInt8]
    /// The states of the tables, by name.
    package let tables: [Table]
    /// Whether all tables were stamped or confirmed under the version that the schema has now. If not, the log
    /// does not reach over the next change.
    package let isConfirmed: Bool
}

/// What reading a store's state came to.
package enum StoreStateResult {
    /// The state of the snapshot.
    case stamped(StoreState)
    /// Some tables were changed by a program that does not stamp, or lost their triggers: they have no state
    /// until stamped.
    case dirty(tableNames: [String])
    /// The store is somebody else's, who allows no tracking: no table has a state.
    case untracked
}

extension StoreState {
    /// Reads the state of some tables in the transaction that `database` is in.
    ///
    /// - Parameters:
    ///   - names: In order, each once.
    ///   - known: What was worked out of the schema by the last reading on this connection.
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
                let place = names.firstIndex(of: name), row[3] == .blob(schema.shapes[place]),
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
        // Whoever can write the file can put anything there; what is not ours to have made is no state.
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
    /// The rows of a control table; none where somebody took the table or a column of it away.
    func controlRows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
        do {
            return try rows(sql, values)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return []
        }
    }
}

/// Whose triggers a store has, as long as SQLite counts no change to the schema.
struct KnownTriggers: Sendable {
    /// SQLite's count.
    let version: StoredValue
    /// Whether another program has none there.
    let areAllOurs: Bool
}

/// What a state needs to know of the schema of some tables. It is the same as long as SQLite counts no change
/// to the schema, which SQLite's own compiled statements rely on as well.
struct KnownSchema: Sendable {
    /// SQLite's count.
    let version: StoredValue
    /// The tables.
    let names: [String]
    /// The rows of ``SchemaFingerprint/rowsSQL(_:)``.
    let rows: [[StoredValue]]
    /// The digests of the tables' shapes.
    let shapes: [[UInt8]]
    /// The digest of all of it but for indexes that only make statements faster.
    let digest: [UInt8]
    /// Where the objects are that notice changes.
    let layout: SchemaLayout

    init(version: StoredValue, names: [String], rows: [[StoredValue]], layout: SchemaLayout) {
        self.layout = layout
        self.version = version
        self.names = names
        self.rows = rows
        var encoder = CanonicalEncoder()
        var shapes: [[UInt8]] = []
        for name in names {
            let shape = SchemaFingerprint.digest(of: name, in: rows)
            encoder.append(shape)
            shapes.append(shape)
        }
        for row in rows where row[4] != .integer(1) && row[0] != .text("index") {
            for value in row { encoder.append(value) }
        }
        self.shapes = shapes
        digest = Array(SHA256.hash(data: encoder.bytes))
    }
}
