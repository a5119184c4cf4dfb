import GRDB
import Mutants

extension PersistentContainer {
    /// Stamps tables that a program without this library changed, and mends their triggers.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be written now; a lock of another program is
    ///   waited for no longer than a fiftieth of a second.
    package func repairTracking(of tableNames: [String]) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Stamping the store") {
            _ = try repairTracking(of: tableNames) { _ in Never?.none }
        }
    }

    /// The same, and runs a closure in the same transaction.
    ///
    /// - Returns: What the closure returned and the commit, which is left to another thread; nil if it
    ///   returned nil, and then the tables are stamped.
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

    /// Compiles a request without running it: what would be read, or why it cannot be.
    package func compile(
        _ request: RequestDescription, columns: RequestColumns
    ) throws(ObjectStorageError) -> CompiledRequest {
        try RequestCompiler.compile(request, model: model, columns: columns)
    }

    /// The state of some tables now.
    ///
    /// - Parameter tableNames: In order, each once.
    package func state(of tableNames: [String]) throws(ObjectStorageError) -> StoreStateResult {
        guard isTracked else { return .untracked }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try connections.read { try StoreState.read(tableNames, in: $0, known: knownSchema) }
        }
    }

    /// Whether no change of some tables' rows is on record since they were stamped: if they have no state, the
    /// schema is another than it was then.
    package func isStamped(_ tableNames: [String]) throws(ObjectStorageError) -> Bool {
        guard isTracked else { return false }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try connections.read { database in
                let stamped = try database.controlRows("SELECT tbl FROM main.sc_gen WHERE nonce IS NOT NULL")
                return tableNames.allSatisfy { stamped.contains([.text($0)]) }
            }
        }
    }
}
