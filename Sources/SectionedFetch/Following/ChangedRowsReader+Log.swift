import ObjectStorage

extension ChangedRowsReader {
    /// Reads the version of the results in this snapshot: the last stamps, and the contents of all rows that
    /// were written since and are part of the snapshot.
    ///
    /// - Parameter stamped: The states of the tables, if they are stamped and the snapshot contains no
    ///   unsaved changes. Then no row was written since.
    /// - Complexity: O(*k* log *n*) for *k* rows written since the last stamps, in tables of *n* rows.
    mutating func readVersion(stamped: [StoreState.Table]?) throws {
        newVersion.includesUnsavedChanges = snapshot.includesPendingChanges
        newVersion.tables = try stamped ?? snapshot.stampedTables()
        guard stamped == nil, let tables = newVersion.tables else { return }
        let reading = try snapshot.rowChanges(since: tables)
        sinceStamp = reading
        guard case .known(let changes) = reading else {
            // It would remain unknown which of the rows that change later are part of these results.
            newVersion.tables = nil
            return
        }
        for change in changes {
            let keys = withoutUnsavedRows(change.keys, change.tableName)
            let contents = try snapshot.contents(ofTableNamed: change.tableName, keys: keys)
            newVersion.touchedContents[change.tableName] = Dictionary(
                keys.map { ($0, contents[$0] ?? []) }, uniquingKeysWith: { first, _ in first })
        }
        try readTouchedOwners(changes)
    }

    /// Returns the rows that changed since some states of the tables, according to the log and to the saves
    /// that changed more rows than the log holds.
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

    /// Advances states of the tables over saves that list the rows which the log lacks.
    ///
    /// - Returns: The later states, and the keys of the rows that those saves wrote.
    private func passBulkSaves(
        from tables: [StoreState.Table]
    ) -> (tables: [StoreState.Table], keys: [String: [Int64]]) {
        var tables = tables
        var keys: [String: [Int64]] = [:]
        for save in bulkSaves {
            let saved = self.keys(of: [save.insertedObjectIDs, save.updatedObjectIDs, save.deletedObjectIDs])
            for index in tables.indices {
                let name = tables[index].tableName
                guard save.tables.contains(where: { tables[index].pass($0) }) else { continue }
                keys[name, default: []] += saved[name] ?? []
            }
        }
        return (tables, keys)
    }

    /// Returns the keys without those of unsaved objects, which exist only in this snapshot.
    func withoutUnsavedRows(_ keys: [Int64], _ tableName: String) -> [Int64] {
        let unsaved =
            request.listedTables.contains(tableName)
            ? snapshot.keysOfUnsavedRows(inTableNamed: tableName)
            : Set((snapshot.provisionalRelatedObjects[tableName] ?? [:]).keys)
        return unsaved.isEmpty ? keys : keys.filter { !unsaved.contains($0) }
    }

    /// Returns the contents of rows in the snapshot. Rows that do not exist have no values.
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
    /// The tables whose objects with unsaved changes are compared with the values that they showed.
    ///
    /// Without a log, these include the tables that the to-one relationships of the request's objects lead
    /// to: a deletion there may change any row of the request.
    func tablesToCompare(in snapshot: StoreSnapshot) -> Set<String> {
        let tableNames = Set(compiled.tableNames)
        return snapshot.isTracked ? tableNames : tableNames.union(destinationTables)
    }

    /// The tables that the to-one relationships of the request's objects lead to.
    var destinationTables: Set<String> {
        Set(
            (list?.listedEntities ?? []).flatMap(\.toOneRelationships).compactMap {
                model.entity(named: $0.destinationEntityName)?.tableName
            })
    }
}
