import GRDB

/// What one look at the control tables saw, to be compared with the next.
struct StoreVersionSnapshot {
    /// A value of the connection's that is another after each commit, in this process or not.
    let mark: CommitVersion
    /// A number that is another after each change of the schema.
    let schemaVersion: StoredValue
    /// The tables and their states; nil for those that were changed by a program which does not stamp, that
    /// lost their triggers, or that are not tracked.
    let states: [(tableName: String, state: [UInt8]?)]
    /// The tables that lost their triggers, whatever their nonces say.
    private let untriggered: Set<String>
    /// Where the objects are that notice changes; nil without tracking.
    private let layout: SchemaLayout?

    /// Looks in the transaction that `database` is in.
    ///
    /// - Parameters:
    ///   - former: What was seen last on the same connection.
    ///   - names: The tables to look at.
    ///   - monitoringConnection: The connection that `database` belongs to.
    /// - Returns: Nil if nobody has committed anything since.
    /// - Complexity: O(1) if so, else O(*n*) in the number of tables, and of triggers when the schema
    ///   changed.
    init?(
        after former: StoreVersionSnapshot?, of names: [String], isTracked: Bool,
        through monitoringConnection: MonitoringConnection,
        in database: any StatementSource
    ) throws {
        mark = try monitoringConnection.mark(in: database)
        guard mark != former?.mark else { return nil }
        schemaVersion = try database.schemaVersionValue()
        guard isTracked else {
            untriggered = []
            layout = nil
            states = names.map { ($0, nil) }
            return
        }
        let version = schemaVersion
        let untriggered: Set<String>
        let layout: SchemaLayout
        if let former, former.schemaVersion == version, let known = former.layout {
            (untriggered, layout) = (former.untriggered, known)
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

    /// The state of a table when it was looked at.
    func state(of tableName: String) -> [UInt8]? {
        states.first { $0.tableName == tableName }?.state
    }

    /// The tables of which not all triggers are there as we make them.
    private static func untriggeredTables(in database: any StatementSource) throws -> Set<String> {
        var names: Set<String> = []
        for row in try database.rows("SELECT * FROM main.sc_gen") {
            guard ChangeTracking.hasKnownColumns(row), case .integer(let id) = row[0],
                case .text(let name) = row[1]
            else { continue }
            let schema = try database.rows(SchemaFingerprint.rowsSQL("?1"), [.text(name)])
            let isIntact =
                ChangeTracking.isOfFormerFormat(row)
                ? ChangeTracking.hasFormerTriggers(name, trackingID: id, in: schema)
                : row[6] == .blob(SchemaFingerprint.digest(of: name, in: schema))
            if !isIntact { names.insert(name) }
        }
        return names
    }
}
