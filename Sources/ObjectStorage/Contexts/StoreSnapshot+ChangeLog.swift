import GRDB
import InternalUtilities

extension StoreSnapshot {
    /// The rows that changed since an earlier state of tables that the request reads.
    ///
    /// A row is in the answer if its values differ, or did in the meantime. One that did not is there if a
    /// statement that would have displaced it by `OR REPLACE` did nothing instead.
    ///
    /// - Parameters:
    ///   - earlier: The states that the tables had, as ``StoreState`` gave them.
    ///   - trustsVacuum: Whether a change of the schema that looks like a `VACUUM` is taken for one.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of changes since then, of which the store keeps a bounded
    ///   number: some tens of microseconds for a few.
    package func rowChanges(
        since earlier: [StoreState.Table], trustsVacuum: Bool = false
    ) throws(ObjectStorageError) -> RowChangesResult {
        guard isTracked else { return .untracked }
        return try ObjectStorageError.translating("Reading the changes of the store") {
            try RowChangesResult.read(
                since: earlier, schema: formerSchemaVersion, known: knownSchema.withLock { $0 },
                trustsVacuum: trustsVacuum, in: database)
        }
    }
}

extension RowChangesResult {
    fileprivate static var untracked: Self {
        .unknown(reason: "the owner of the store allows no log of changes")
    }

    fileprivate static func read(
        since earlier: [StoreState.Table], schema: StoredValue?, known: KnownSchema?, trustsVacuum: Bool,
        in database: any StatementSource
    ) throws -> Self {
        let isFormer = schema != nil
        let schema = try schema ?? database.schemaVersionValue()
        let known = !isFormer && known?.version == schema ? known : nil
        do {
            let readings = try earlier.map {
                let name = $0.tableName
                return try TableLog(tableName: name, trustsVacuum: trustsVacuum, in: database).changes(
                    since: $0, schema: schema,
                    layout: known?.names.contains(name) == true ? known?.layout : nil, in: database)
            }
            let changes = readings.map(\.changes).filter { !$0.keys.isEmpty }
            return readings.contains(where: \.isAcrossVacuum) ? .knownAcrossVacuum(changes) : .known(changes)
        } catch let gap as TableLog.Gap {
            return .unknown(reason: gap.reason)
        }
    }
}

extension StoreSnapshot {
    /// The states that the tables of the request had when they were last stamped. What is in the log since
    /// then, the context's unsaved changes among it, comes on top.
    ///
    /// - Returns: Nil for a store without a log.
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
