import GRDB
import InternalUtilities

/// One state of a store during one transaction: all values read from it are consistent.
package struct StoreSnapshot {
    let database: any StatementSource
    /// The request compiled for this snapshot.
    package let compiled: CompiledRequest
    /// The unsaved objects of the request's entity, by the keys that they have in lists of this snapshot
    /// only. Empty unless the snapshot includes the context's unsaved changes.
    package let provisionalObjects: [Int64: ManagedObject]
    /// The unsaved objects in the other tables that the request reads, by table name and key.
    package let provisionalRelatedObjects: [String: [Int64: ManagedObject]]
    /// Whether the snapshot includes the context's unsaved changes.
    package let includesPendingChanges: Bool
    let hasPendingDeletions: Bool
    /// Whether the store has change tracking.
    package let isTracked: Bool
    let request: RequestDescription
    let model: ManagedObjectModel
    /// The keys that unsaved objects have in this snapshot.
    let provisionalKeys: [ObjectID.Key: Int64]
    let knownSchema: LockedValue<KnownSchema?>
    let knownTriggers: LockedValue<KnownTriggers?>
    /// The schema version before unique indexes were dropped in this snapshot; nil if none were.
    var previousSchemaVersion: StoredValue?
    /// Whether the connection belongs to the library. An application's own connection may be configured in
    /// any way.
    let isOwnConnection: Bool
    /// The container; nil for a snapshot with unsaved changes.
    var container: PersistentContainer?
    /// The position in the container's write-ahead log before the snapshot, if caches rely on the state of
    /// its files.
    var logPosition: [UInt8]?
    /// The state of the files in the query generation to which the context is pinned.
    var stateOfHeldFiles: StoreStateResult?

    /// Returns the version stamps of the tables that the request reads.
    package func state() throws(ObjectStorageError) -> StoreStateResult {
        guard isTracked else {
            if let stateOfHeldFiles { return stateOfHeldFiles }
            guard let logPosition, let container else { return .untracked }
            return try ObjectStorageError.translating("Reading the state of the store") {
                try container.stateOfFiles(since: logPosition, in: database)
            }
        }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try StoreState.read(compiled.tableNames, in: database, known: knownSchema)
        }
    }

    /// Returns whether the store contains only triggers of the library. Triggers of other programs may change
    /// rows in addition to those that a statement changes.
    ///
    /// - Complexity: O(*t*) in the number of tables, indexes and triggers when the schema changed, else O(1).
    package func hasOnlyOwnTriggers() throws -> Bool {
        guard isOwnConnection else { return false }
        return try triggers().areAllOurs
    }

    /// Returns whether the log of a table has the objects to which changed references of its rows led before.
    /// An external table and one whose triggers an earlier version of the library made have no such log.
    ///
    /// - Complexity: O(*t*) in the number of tables, indexes and triggers when the schema changed, else O(1).
    package func logsOwners(ofTableNamed name: String) throws -> Bool {
        try triggers().tablesLoggingOwners.contains(name)
    }

    private func triggers() throws -> KnownTriggers {
        let version = try database.schemaVersionValue()
        if isOwnConnection, let known = knownTriggers.withLock({ $0 }), known.version == version {
            return known
        }
        let tableNames = model.tableNames + model.linkTables.map(\.name) + [LargeValueTable.tableName]
        let own = Set(
            tableNames.flatMap(StoreSchema.triggerNames)
                + model.tables.flatMap { LargeValueTable.triggers($0).map(\.name) }
                + StoreSchema.logGuards.map(\.name))
        let rows = try database.rows("SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'")
        var texts: [String: String] = [:]
        for row in rows {
            if case .text(let name) = row[0], case .text(let sql) = row[1] { texts[name] = sql }
        }
        let tables = model.tables.map { TrackedTable($0, of: model) }
        let known = KnownTriggers(
            version: version,
            areAllOurs: rows.allSatisfy {
                if case .text(let name) = $0[0] { own.contains(name) } else { false }
            },
            tablesLoggingOwners: Set(
                tables.filter { $0.isOurs && StoreSchema.logsOwners(of: $0, texts) }.map(\.name)))
        if isOwnConnection { knownTriggers.withLock { $0 = known } }
        return known
    }

    func statement() throws -> SQLiteStatement { try statement(compiled.sql) }

    /// Returns the statement that steps through all rows.
    ///
    /// SQLite prefers to read the order from an index and to look up each row. For all rows of a large table
    /// this is several times slower than scanning the table and sorting, so such a plan is replaced by one
    /// that sorts.
    func scanStatement() throws -> SQLiteStatement {
        guard let sortingSQL = compiled.sortingSQL else { return try statement() }
        let plan = try database.rows("EXPLAIN QUERY PLAN " + compiled.sql, compiled.arguments)
        let looksUpEachRow = plan.contains { row in
            row.contains {
                if case .text(let step) = $0 { step.hasPrefix("SCAN t0 USING INDEX ") } else { false }
            }
        }
        return try statement(looksUpEachRow ? sortingSQL : compiled.sql)
    }

    /// Returns whether SQLite reads the rows in the order of the request from an index or the table itself,
    /// and sorts nothing.
    package func isOrderedByIndex() throws -> Bool {
        try database.rows("EXPLAIN QUERY PLAN " + compiled.sql, compiled.arguments).allSatisfy { row in
            row.allSatisfy {
                if case .text(let step) = $0 { !step.hasPrefix("USE TEMP B-TREE") } else { true }
            }
        }
    }

    private func statement(_ sql: String) throws -> SQLiteStatement {
        let statement = try SQLiteStatement(sql, in: database)
        try statement.bind(compiled.arguments)
        return statement
    }
}

extension StoreSnapshot {
    /// Creates a snapshot of saved rows. If the request names an object that was never saved,
    /// ``includesPendingChanges`` is true nevertheless, because the result changes when that object is saved.
    init(
        of request: RequestDescription, _ compiled: CompiledRequest, in database: any StatementSource,
        _ container: PersistentContainer, isOwnConnection: Bool? = nil,
        logPosition: [UInt8]? = nil
    ) {
        self.init(
            database: database, compiled: compiled, provisionalObjects: [:], provisionalRelatedObjects: [:],
            includesPendingChanges: !compiled.unsavedObjects.isEmpty, hasPendingDeletions: false,
            isTracked: container.isTracked, request: request, model: container.model, provisionalKeys: [:],
            knownSchema: container.knownSchema, knownTriggers: container.knownTriggers,
            isOwnConnection: isOwnConnection ?? (container.url != nil),
            container: container, logPosition: logPosition)
    }
}
