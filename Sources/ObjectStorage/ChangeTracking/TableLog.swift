/// The completeness of a table's log between two stamps, as stored in `sc_epoch.isComplete`. Any other number
/// means an incomplete log.
enum LogCompleteness: Int64 {
    /// All changes are logged, under one version of the schema.
    case complete = 1
    /// All changes are logged, provided that the schema change in between is a `VACUUM`, as it appears to be.
    case acrossVacuum = 2
}

/// The log of one table, followed from stamp to stamp.
struct TableLog {
    /// The reason why the log cannot determine the changes.
    struct Gap: Error {
        /// The reason as readable text.
        let reason: String
    }

    private let tableName: String
    private let trackingID: Int64
    /// The number of the last stamp.
    private let sequence: Int64
    /// The nonce; nil for a table that has changed since its last stamp.
    private let nonce: [UInt8]?
    private let hasRoom: Bool
    /// The number of changes logged since the last stamp.
    private let changesSince: Int64
    private let capacity: Int64
    /// Whether a schema change that looks like a `VACUUM` is treated as one.
    private let trustsVacuum: Bool

    /// Reads the current state of a table's log.
    ///
    /// - Throws: ``Gap`` if it has no log, or `DatabaseError`.
    init(tableName: String, trustsVacuum: Bool, in database: any StatementSource) throws {
        self.tableName = tableName
        self.trustsVacuum = trustsVacuum
        let rows = try database.rows("SELECT * FROM main.sc_gen WHERE tbl = ?1", [.text(tableName)])
        guard let row = rows.first, ChangeTracking.hasKnownColumns(row), case .integer(let id) = row[0],
            case .integer(let sequence) = row[2]
        else { throw Gap(reason: "“\(tableName)” is not tracked") }
        guard !ChangeTracking.isOfPreviousFormat(row), case .integer(let capacity) = row[5] else {
            throw Gap(
                reason: "the store has a format without a log; it gets one when it is opened for writing")
        }
        trackingID = id
        self.sequence = sequence
        nonce = if case .blob(let nonce) = row[3] { nonce } else { nil }
        hasRoom = row[4] != .integer(0)
        self.capacity = capacity
        if nonce == nil, case .integer(let room) = row[4] {
            changesSince = max(0, capacity.subtractingReportingOverflow(room).partialValue)
        } else {
            changesSince = 0
        }
    }

    /// Returns the state of a table after its last stamp, the number and the nonce; nil if it has no log.
    static func lastStamp(ofTableNamed name: String, in database: any StatementSource) throws -> [UInt8]? {
        let rows = try database.rows("SELECT * FROM main.sc_gen WHERE tbl = ?1", [.text(name)])
        guard let row = rows.first, ChangeTracking.hasKnownColumns(row),
            !ChangeTracking.isOfPreviousFormat(row), case .integer(let sequence) = row[2]
        else { return nil }
        let stamp = try database.rows(
            "SELECT nonce FROM main.sc_epoch WHERE gen = ?1 AND seq = ?2", [row[0], row[2]])
        guard case .blob(let nonce)? = stamp.first?.first else { return nil }
        return withUnsafeBytes(of: sequence.littleEndian) { Array($0) } + nonce
    }

    /// Returns the rows that changed since an earlier state.
    ///
    /// - Parameters:
    ///   - schema: SQLite's schema version. Across a change of it nothing is known: unique indexes and
    ///     triggers may have been created and dropped, and a new column has a value in every row.
    ///   - layout: The layout of the schema of that version, if known.
    /// - Throws: ``Gap``, or `DatabaseError`.
    func changes(
        since earlier: StoreState.Table, schema: StoredValue, layout: SchemaLayout?,
        in database: any StatementSource
    ) throws -> (changes: TableRowChanges, isAcrossVacuum: Bool) {
        let (numberOfChanges, isAcrossVacuum) = try follow(
            from: earlier, schema: schema, layout: layout, in: database)
        let statement = try SQLiteStatement(
            "SELECT key, other, typeof(key) = 'integer' AND typeof(other) = 'integer' FROM main.sc_log WHERE gen = ?1 AND seq >= ?2 AND seq < ?3",
            in: database)
        try statement.bind(trackingID, at: 1)
        try statement.bind(earlier.sequence, at: 2)
        // The log of an epoch without changes may contain keys of rows that a statement without effect would
        // have displaced.
        try statement.bind(nonce == nil ? sequence &+ 1 : sequence, at: 3)
        return try statement.use { statement in
            var keys: [Int64] = []
            var others: [Int64] = []
            while try statement.step() {
                guard statement.integer(2) == 1 else {
                    throw Gap(reason: "a row of “\(tableName)” whose key is not an integer changed")
                }
                keys.append(statement.integer(0))
                others.append(statement.integer(1))
            }
            if keys.isEmpty, numberOfChanges > 0 {
                throw Gap(reason: "the log of “\(tableName)” was emptied")
            }
            // 0 is the key of no object of the library.
            let changes = TableRowChanges(
                tableName: tableName, keys: keys.sortedOnce(),
                otherKeys: others.filter { $0 != 0 }.sortedOnce())
            return (changes, isAcrossVacuum)
        }
    }

    /// Checks that all changes since an earlier state were logged.
    ///
    /// The state must be an ancestor of the current state of this file. After restoring a backup or losing a
    /// write-ahead log, the nonces differ from the point of divergence on.
    ///
    /// - Returns: The number of logged changes, several of which may be of one row; and whether a schema
    ///   change was treated as a `VACUUM`.
    private func follow(
        from earlier: StoreState.Table, schema: StoredValue, layout: SchemaLayout?,
        in database: any StatementSource
    ) throws -> (numberOfChanges: Int64, isAcrossVacuum: Bool) {
        let stamps = try database.rows(
            "SELECT seq, nonce, isComplete, schema, changes FROM main.sc_epoch WHERE gen = ?1 AND seq >= ?2 ORDER BY seq",
            [.integer(trackingID), .integer(earlier.sequence)])
        guard let first = stamps.first, let last = stamps.last else { throw otherHistory }
        guard first[0] == .integer(earlier.sequence) else {
            throw first[2] == .integer(1)
                ? Gap(reason: "the log of “\(tableName)” does not reach back so far") : tooManyChanges
        }
        guard first[1] == .blob(earlier.nonce) else { throw otherHistory }
        let layout = try layout ?? SchemaLayout(of: [tableName], in: database)
        guard layout.isOurs else {
            throw Gap(reason: "another program has triggers or indexes on the tables of the log")
        }
        guard layout.hasLogGuards else {
            throw Gap(reason: "the triggers that detect the loss of log entries are missing")
        }
        var previous: StampedSchema?
        var isAcrossVacuum = false
        for (position, stamp) in stamps.enumerated() {
            let isVacuum =
                trustsVacuum && position > 0
                && stamp[2] == .integer(LogCompleteness.acrossVacuum.rawValue)
            // Between two stamps under different versions a unique index may have existed that displaced
            // rows.
            guard let stampedSchema = StampedSchema(stamp[3]),
                previous == nil || previous?.confirmed == stampedSchema.stamped || isVacuum
            else { throw schemaChanged }
            previous = stampedSchema
            isAcrossVacuum = isAcrossVacuum || isVacuum
            guard stamp[0] == .integer(earlier.sequence &+ Int64(position)) else { throw stampedByOthers }
            guard position == 0 || isVacuum || stamp[2] == .integer(LogCompleteness.complete.rawValue) else {
                throw tooManyChanges
            }
        }
        guard last[0] == .integer(sequence) else { throw stampedByOthers }
        if let nonce {
            guard last[1] == .blob(nonce) else { throw stampedByOthers }
            guard previous?.counts(under: schema, digest: layout.digest(of: tableName)) == true else {
                throw schemaChanged
            }
        } else {
            guard previous?.isConfirmed(under: schema) == true else { throw schemaChanged }
            guard hasRoom else { throw tooManyChanges }
        }
        let numberOfChanges = stamps.dropFirst().reduce(changesSince) { sum, stamp in
            if case .integer(let changes) = stamp[4] { sum &+ max(0, changes) } else { sum }
        }
        return (numberOfChanges, isAcrossVacuum)
    }

    private var schemaChanged: Gap { Gap(reason: "the schema of the store was changed") }

    private var otherHistory: Gap {
        Gap(reason: "“\(tableName)” never had that state: the store was replaced or restored")
    }

    private var stampedByOthers: Gap {
        Gap(reason: "“\(tableName)” was stamped by an older version of the library, which keeps no log")
    }

    private var tooManyChanges: Gap {
        Gap(
            reason: capacity == 0
                ? "“\(tableName)” has a unique index over expressions or some of its rows, and rows that it replaces are not logged"
                : "more than \(capacity) rows of “\(tableName)” changed at once, or its tracking had to be repaired"
        )
    }
}

extension StoreState.Table {
    /// The number of the stamp.
    fileprivate var sequence: Int64 { state.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) } }
    /// The nonce of the stamp.
    fileprivate var nonce: [UInt8] { Array(state.dropFirst(8)) }
}

extension [Int64] {
    /// Returns the numbers in ascending order, each once.
    fileprivate func sortedOnce() -> [Int64] {
        sorted().reduce(into: []) { numbers, number in
            if numbers.last != number { numbers.append(number) }
        }
    }
}
