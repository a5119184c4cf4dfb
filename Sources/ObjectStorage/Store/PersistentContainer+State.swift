import GRDB
import Mutants

extension PersistentContainer {
    /// Stamps tables that a program without this library changed, and repairs their triggers.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be written now; it waits at most 20 ms for
    ///   another program's lock.
    package func repairTracking(of tableNames: [String]) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Stamping the store") {
            _ = try repairTracking(of: tableNames) { _ in Never?.none }
        }
    }

    /// Stamps tables that a program without this library changed, repairs their triggers, and runs a closure
    /// in the same transaction.
    ///
    /// - Returns: The closure's result and the commit, which another thread executes; nil if the closure
    ///   returned nil, in which case the tables are stamped.
    func repairTracking<Result>(
        of tableNames: [String], _ body: (Database) throws -> Result?
    ) throws -> (result: Result, commit: DeferredCommit)? {
        guard !Mutant.noStamp.isPlanted else { return nil }
        return try connections.writeDeferringCommit { database in
            let before = try ChangeTracking.states(in: database)
            let isAsSeen = isAsSeen(ifDirtyAmong: before, in: database)
            try ChangeTracking.repair(tableNames.compactMap(model.trackedTable), in: database)
            sharedMonitor.current?.detector.expect(
                try ChangeTracking.transitions(since: before, in: database), isAsSeen: isAsSeen)
            return try body(database)
        }
    }

    /// Returns the current state of tables.
    ///
    /// - Parameter tableNames: The names of the tables, sorted, each once.
    package func state(of tableNames: [String]) throws(ObjectStorageError) -> StoreStateResult {
        guard isTracked else { return usesFileState ? try stateOfFiles() : .untracked }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try connections.read { try StoreState.read(tableNames, in: $0, known: knownSchema) }
        }
    }

    /// Returns the state of the store's files, whether or not caches rely on it.
    package func stateOfFiles() throws(ObjectStorageError) -> StoreStateResult {
        guard url != nil else { return .untracked }
        return try ObjectStorageError.translating("Reading the state of the store") {
            let position = try logPosition()
            return try connections.read { try stateOfFiles(since: position, in: $0) }
        }
    }

    /// Returns the present position in the write-ahead log, or that of the replicator; nil if caches do not
    /// rely on the state of the files.
    func logPositionOfFiles() throws -> [UInt8]? {
        !isTracked && usesFileState && url != nil ? try logPosition() : nil
    }

    private func logPosition() throws -> [UInt8] {
        if let positionFile { return positionFile.read() }
        return try connections.read { database in
            // SQLite opens the log at the first statement.
            _ = try database.schemaVersionValue()
            return StoreFiles.position(of: database.connection)
        }
    }

    /// Returns the state of the files for the snapshot that a transaction reads.
    ///
    /// With a rollback journal no program can write the file during the transaction. With a write-ahead log
    /// the snapshot is the state after the last commit, unless a commit followed the given position.
    ///
    /// A replicator changes its position while it keeps readers out. The position before the transaction is
    /// that of the snapshot if it is still the same afterwards.
    ///
    /// - Parameter position: The position in the log, or that of the replicator, from before the transaction.
    func stateOfFiles(
        since position: [UInt8], in database: any StatementSource
    ) throws -> StoreStateResult {
        guard let filePath else { return .untracked }
        guard !mayReadViews else { return .unsettled("views may depend on more than the store's files") }
        // The files that a state describes must be the files that were read.
        guard !connections.isPrivateCopy else { return .unsettled("the store is read from a private copy") }
        if let positionFile {
            guard connections.lockless?.usesLocks ?? true else {
                return .unsettled("the store is read without locks")
            }
            _ = try database.schemaVersionValue()
            if let doubt = positionFile.doubt(about: position, isReadOnly: isReadOnly) {
                return .unsettled(doubt)
            }
            guard positionFile.read() == position else {
                return .unsettled("a replicator is changing the store")
            }
            return .stamped(StoreState(position: position, path: filePath))
        }
        // SQLite begins to read here.
        _ = try database.schemaVersionValue()
        let files = StoreFiles(filePath)
        guard StoreFiles.position(of: database.connection) == position else {
            return .unsettled("another program is committing")
        }
        if let doubt = files.doubt { return .unsettled(doubt) }
        if connections.lockless?.usesLocks ?? true, let reason = files.difference(from: database.connection) {
            return .unsettled(reason)
        }
        return .stamped(StoreState(files, at: try history?.position(in: database)))
    }

    /// Returns the names of the dirty tables among some. If another one has no valid state, only the schema
    /// has changed since it was stamped.
    package func namesOfDirtyTables(
        among tableNames: [String]
    ) throws(ObjectStorageError) -> [String] {
        guard isTracked else { return tableNames }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try connections.read { database in
                let stamped = try database.controlRows("SELECT tbl FROM main.sc_gen WHERE nonce IS NOT NULL")
                return tableNames.filter { !stamped.contains([.text($0)]) }
            }
        }
    }
}

extension PersistentContainer {
    /// Whether another thread can read one state of the store while this process and others read and write:
    /// the store has a write-ahead log, or is an application's pool.
    package var canReadInBackground: Bool {
        guard isTracked else { return false }
        do {
            return try connections.canHoldBesideOthers()
        } catch {
            return false
        }
    }
}
