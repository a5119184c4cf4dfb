import GRDB
import InternalUtilities

/// The rows of one table that were inserted, updated or deleted, as far as anybody can tell.
package struct TableRowChanges: Hashable, Sendable {
    /// The table.
    package let tableName: String
    /// The primary keys of the rows, ascending, each once; of links, the keys of their sources.
    package let keys: [Int64]
    /// The keys of the links' targets, ascending, each once; empty for a table of objects.
    package let otherKeys: [Int64]

    /// Rows that changed.
    package init(tableName: String, keys: [Int64], otherKeys: [Int64] = []) {
        self.tableName = tableName
        self.keys = keys
        self.otherKeys = otherKeys
    }
}

/// What changed between two states of some tables.
package enum RowChangesResult: Hashable, Sendable {
    /// All rows that changed, and perhaps some that did not, in the order in which the tables were asked for.
    /// Tables without changes are left out.
    case known([TableRowChanges])
    /// The same, if a change of the schema in between is the `VACUUM` that it looks like.
    case knownAcrossVacuum([TableRowChanges])
    /// The log does not reach back to that state, or does not hold everything: in words, for people.
    case unknown(reason: String)
}

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
        let schema = try schema ?? ChangeTracking.schemaVersion(in: database)
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
