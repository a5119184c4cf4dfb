import ObjectStorage

extension ChangedRowsReader {
    /// Reads what results of this snapshot are as of: the last stamps, and the contents of all rows that were
    /// written since and are part of the snapshot.
    ///
    /// - Parameter stamped: The states of the tables, if they are stamped and unsaved changes are not part of
    ///   the snapshot. Then no row was written since.
    /// - Complexity: O(*k* log *n*) for *k* rows written since the last stamps, in tables of *n* rows.
    mutating func readVersion(stamped: [StoreState.Table]?) throws {
        newVersion.includesUnsavedChanges = snapshot.includesPendingChanges
        newVersion.tables = try stamped ?? snapshot.stampedTables()
        guard stamped == nil, let tables = newVersion.tables else { return }
        let reading = try snapshot.rowChanges(since: tables)
        sinceStamp = reading
        guard case .known(let changes) = reading else {
            // Which of the rows that change later were part of these results nobody could tell.
            newVersion.tables = nil
            return
        }
        for change in changes {
            let keys = withoutUnsavedRows(change.keys, change.tableName)
            let contents = try snapshot.contents(ofTableNamed: change.tableName, keys: keys)
            newVersion.touchedContents[change.tableName] = Dictionary(
                keys.map { ($0, contents[$0] ?? []) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The rows that changed since some states of the tables, by the log and the saves that were too much for
    /// it.
    func logged(since tables: [StoreState.Table]) throws -> RowChangesResult {
        if let sinceStamp, case .unknown = sinceStamp { return sinceStamp }
        let (later, saved) = passBulkSaves(from: tables)
        let reading =
            if let sinceStamp, later == newVersion.tables { sinceStamp } else {
                try snapshot.rowChanges(since: later, trustsVacuum: trustsVacuum)
            }
        guard !saved.isEmpty else { return reading }
        return switch reading {
        case .known(let changes): .known(Self.joined(changes, saved))
        case .knownAcrossVacuum(let changes): .knownAcrossVacuum(Self.joined(changes, saved))
        case .unknown: reading
        }
    }

    private static func joined(
        _ changes: [TableRowChanges], _ saved: [String: [Int64]]
    ) -> [TableRowChanges] {
        var keys = saved
        for change in changes { keys[change.tableName, default: []] += change.keys }
        return keys.map { TableRowChanges(tableName: $0, keys: $1) }
    }

    /// Goes from some states of the tables on to those after saves that list what the log has not.
    ///
    /// - Returns: The later states, and the keys of the rows that those saves wrote.
    private func passBulkSaves(
        from tables: [StoreState.Table]
    ) -> (tables: [StoreState.Table], keys: [String: [Int64]]) {
        var tables = tables
        var keys: [String: [Int64]] = [:]
        for save in bulkSaves {
            let saved = self.keys(of: [save.insertedObjectIDs, save.updatedObjectIDs, save.deletedObjectIDs])
            for place in tables.indices {
                let name = tables[place].tableName
                guard save.tables.contains(where: { tables[place].pass($0) }) else { continue }
                keys[name, default: []] += saved[name] ?? []
            }
        }
        return (tables, keys)
    }

    /// The keys without those of unsaved objects, which only this snapshot has.
    func withoutUnsavedRows(_ keys: [Int64], _ tableName: String) -> [Int64] {
        let unsaved =
            tableName == self.tableName
            ? Set(snapshot.keysOfUnsavedRows)
            : Set((snapshot.provisionalRelatedObjects[tableName] ?? [:]).keys)
        return unsaved.isEmpty ? keys : keys.filter { !unsaved.contains($0) }
    }

    /// The contents of some rows in the snapshot; no values for those that are not there.
    func contents(
        ofTableNamed name: String, keys: some Collection<Int64>
    ) throws -> [Int64: [StoredValue]] {
        var contents = newVersion.touchedContents[name] ?? [:]
        let missing = keys.filter { contents[$0] == nil }
        let found = try snapshot.contents(ofTableNamed: name, keys: missing)
        for key in missing { contents[key] = found[key] ?? [] }
        return contents
    }
}

extension ResultsRequest {
    /// The tables of which unsaved objects are compared with what they showed.
    ///
    /// Without a log those that the request's objects lead to are among them: a deletion there may change any
    /// of its rows.
    func tablesToCompare(in snapshot: StoreSnapshot) -> Set<String> {
        let tableNames = Set(compiled.tableNames)
        return snapshot.isTracked ? tableNames : tableNames.union(destinationTables)
    }

    /// The tables that the request's objects lead to by relationships to one.
    var destinationTables: Set<String> {
        Set(
            (model.entity(named: request.entityName)?.toOneRelationships ?? []).compactMap {
                model.entity(named: $0.destinationEntityName)?.tableName
            })
    }
}
