import GRDB
import InternalUtilities

extension StoreSnapshot {
    /// Returns the rows that changed since an earlier state of tables that the request reads.
    ///
    /// A row is included if its values differ, or did in the meantime. An unchanged row is included if a
    /// statement that would have replaced it by `OR REPLACE` had no effect.
    ///
    /// - Parameters:
    ///   - earlier: The earlier states of the tables, as returned by ``StoreState``.
    ///   - trustsVacuum: Whether a change of the schema that looks like the result of `VACUUM` is treated as
    ///     one.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of changes since then, of which the store keeps a bounded
    ///   number; tens of microseconds for a few changes.
    package func rowChanges(
        since earlier: [StoreState.Table], trustsVacuum: Bool = false
    ) throws(ObjectStorageError) -> RowChangesResult {
        guard isTracked else { return .untracked }
        return try ObjectStorageError.translating("Reading the changes of the store") {
            try RowChangesResult.read(
                since: earlier, schema: previousSchemaVersion, known: knownSchema.withLock { $0 },
                trustsVacuum: trustsVacuum, in: database)
        }
    }
}

extension StoreSnapshot {
    /// Returns the changes since an earlier state of an untracked store, according to the history that
    /// another program keeps in it.
    ///
    /// - Parameter earlier: The dependencies of the earlier state, as returned by ``StoreState``.
    /// - Returns: Nil if the store has no history that continues from the state.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*·log *m*) for *n* changes, of which up to 10,000 are read.
    package func changesInHistory(
        since earlier: [StoreState.Table]
    ) throws(ObjectStorageError) -> StoreChanges? {
        guard let history = container?.history,
            let table = earlier.first(where: { $0.tableName == StoreState.historyName }),
            let position = ChangeHistory.Position(table.state)
        else { return nil }
        return try ObjectStorageError.translating("Reading the history of the store") {
            try history.changes(since: position, of: model, in: database)
        }
    }
}

extension RowChangesResult {
    fileprivate static var untracked: Self {
        .unknown(reason: "the store has no change log")
    }

    fileprivate static func read(
        since earlier: [StoreState.Table], schema: StoredValue?, known: KnownSchema?, trustsVacuum: Bool,
        in database: any StatementSource
    ) throws -> Self {
        let isPrevious = schema != nil
        let schema = try schema ?? database.schemaVersionValue()
        let known = !isPrevious && known?.version == schema ? known : nil
        do {
            let results = try earlier.map {
                let name = $0.tableName
                return try TableLog(tableName: name, trustsVacuum: trustsVacuum, in: database).changes(
                    since: $0, schema: schema,
                    layout: known?.names.contains(name) == true ? known?.layout : nil, in: database)
            }
            let changes = results.map(\.changes).filter { !$0.keys.isEmpty }
            return results.contains(where: \.isAcrossVacuum) ? .knownAcrossVacuum(changes) : .known(changes)
        } catch let gap as TableLog.Gap {
            return .unknown(reason: gap.reason)
        }
    }
}

extension StoreSnapshot {
    /// Returns the version stamps that the tables of the request had when they were last stamped. Later
    /// changes in the log, including the context's unsaved changes, are not part of these states.
    ///
    /// - Returns: The states; nil for a store without a change log, or a table without a stamp.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func stampedTables() throws(ObjectStorageError) -> [StoreState.Table]? {
        guard isTracked else { return nil }
        return try ObjectStorageError.translating("Reading the state of the store") {
            var tables: [StoreState.Table] = []
            for name in compiled.tableNames {
                guard let state = try TableLog.lastStamp(ofTableNamed: name, in: database) else { return nil }
                tables.append(StoreState.Table(tableName: name, state: state))
            }
            return tables
        }
    }
}
