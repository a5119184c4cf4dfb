import GRDB
import GRDBSQLite
import SeededBugs

extension PersistentContainer {
    /// Seals tables that a program without this library changed, and mends their triggers.
    ///
    /// What is sealed is merely worth keeping, so nobody waits for it as long as for a save: a program that was stopped in the middle of
    /// writing is given a fiftieth of a second.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be written now.
    package func repairTracking(of tableNames: [String]) throws(ObjectStorageError) {
        guard !SeededBug.noSeal.isPlanted else { return }
        let tables = tableNames.compactMap(model.trackedTable)
        try ObjectStorageError.translating("Sealing the store") {
            let writer = try connections.writer()
            try writer.writeWithoutTransaction { database in
                // A connection whose owner decides about waiting is left as it is.
                if case .timeout(let seconds) = writer.configuration.busyMode {
                    sqlite3_busy_timeout(database.sqliteConnection, Int32(min(seconds, 0.02) * 1_000))
                }
                defer {
                    if case .timeout(let seconds) = writer.configuration.busyMode {
                        let milliseconds = Int32(max(0, min(seconds * 1_000, Double(Int32.max))))
                        sqlite3_busy_timeout(database.sqliteConnection, milliseconds)
                    }
                }
                try database.inTransaction(.immediate) {
                    let before = try StoreTracking.states(in: database)
                    try StoreTracking.repair(tables, in: database)
                    watcher.current?.looker.expect(
                        try StoreTracking.transitions(since: before, in: database))
                    return .commit
                }
            }
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
    package func state(of tableNames: [String]) throws(ObjectStorageError) -> StoreStateReading {
        guard isTracked else { return .untracked }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try connections.read { try StoreState.read(tableNames, in: $0) }
        }
    }

    /// The store's random identity; nil if what is in its place is none of ours.
    package func storeIdentity() throws(ObjectStorageError) -> [UInt8]? {
        let rows = try ObjectStorageError.translating("Reading the identity of the store") {
            try connections.read { try $0.rows("SELECT uuid FROM main.sc_store WHERE id = 1") }
        }
        guard case .blob(let identity)? = rows.first?.first, identity.count == 16 else { return nil }
        return identity
    }
}
