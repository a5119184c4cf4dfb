import GRDB

/// The contents of the control tables at one time, for comparison with the next snapshot.
struct StoreVersionSnapshot {
    /// A value of the connection that is different after each commit, of this process or another.
    let mark: CommitVersion
    /// SQLite's schema version, which is different after each change of the schema.
    let schemaVersion: StoredValue
    /// The tables and their states; nil for tables that were changed by a program that does not stamp, that
    /// lost their triggers, or that are not tracked.
    let states: [(tableName: String, state: [UInt8]?)]
    /// The changes since the previous snapshot according to the history of an untracked store; nil if they
    /// are not known.
    let listedChanges: StoreChanges?
    /// The position in that history.
    private let historyPosition: ChangeHistory.Position?
    /// The tables that lost their triggers, regardless of their nonces.
    private let untriggered: Set<String>
    /// The positions of the objects by which changes are detected; nil without tracking.
    private let layout: SchemaLayout?

    /// Reads a snapshot in the current transaction of `database`.
    ///
    /// - Parameters:
    ///   - previous: The last snapshot from the same connection.
    ///   - names: The names of the tables.
    ///   - history: The history that another program keeps in an untracked store, and the store's model.
    ///   - monitoringConnection: The connection to which `database` belongs.
    /// - Returns: Nil if nothing was committed since the last snapshot.
    /// - Complexity: O(1) in that case, otherwise O(*n*) in the number of tables, and of triggers if the
    ///   schema changed.
    init?(
        after previous: StoreVersionSnapshot?, of names: [String], isTracked: Bool,
        history: (history: ChangeHistory, model: ManagedObjectModel)? = nil,
        through monitoringConnection: MonitoringConnection,
        in database: any StatementSource
    ) throws {
        mark = try monitoringConnection.mark(in: database)
        guard mark != previous?.mark else { return nil }
        schemaVersion = try database.schemaVersionValue()
        guard isTracked else {
            untriggered = []
            layout = nil
            historyPosition = try history?.history.position(in: database)
            listedChanges =
                if let history, let position = previous?.historyPosition {
                    try history.history.changes(since: position, of: history.model, in: database)
                } else { nil }
            states = names.map { ($0, nil) }
            return
        }
        (historyPosition, listedChanges) = (nil, nil)
        let version = schemaVersion
        let untriggered: Set<String>
        let layout: SchemaLayout
        if let previous, previous.schemaVersion == version, let known = previous.layout {
            (untriggered, layout) = (previous.untriggered, known)
        } else {
            untriggered = try Self.untriggeredTables(in: database)
            layout = try SchemaLayout(of: names, in: database)
        }
        let stampedSchemas = try ChangeTracking.stampedSchemas(in: database)
        let tracked = try ChangeTracking.states(in: database)
        states = names.map { name in
            guard layout.isOurs, !untriggered.contains(name),
                stampedSchemas[name]?.counts(under: version, digest: layout.digest(of: name)) == true
            else { return (name, nil) }
            return (name, tracked.first { $0.tableName == name }?.state)
        }
        self.untriggered = untriggered
        self.layout = layout
    }

    /// Returns the state of a table in the snapshot.
    func state(of tableName: String) -> [UInt8]? {
        states.first { $0.tableName == tableName }?.state
    }

    /// Returns the tables whose triggers are missing or altered.
    private static func untriggeredTables(in database: any StatementSource) throws -> Set<String> {
        var names: Set<String> = []
        for row in try database.rows("SELECT * FROM main.sc_gen") {
            guard ChangeTracking.hasKnownColumns(row), case .integer(let id) = row[0],
                case .text(let name) = row[1]
            else { continue }
            let schema = try database.rows(SchemaFingerprint.rowsSQL("?1"), [.text(name)])
            let isIntact =
                ChangeTracking.isOfPreviousFormat(row)
                ? ChangeTracking.hasPreviousTriggers(name, trackingID: id, in: schema)
                : row[6] == .blob(SchemaFingerprint.digest(of: name, in: schema))
            if !isIntact { names.insert(name) }
        }
        return names
    }
}
