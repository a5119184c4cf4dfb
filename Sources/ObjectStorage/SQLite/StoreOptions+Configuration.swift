import GRDB
import InternalUtilities

extension StoreOptions {
    /// The configuration of a connection on which requests are computed.
    ///
    /// - Parameter isOwnStore: Whether all tables of the model are the store's own.
    func configuration(isOwnStore: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isFileReadOnly
        configuration.busyMode = .timeout(Double(busyMilliseconds) / 1_000)
        // A commit may be left to another thread, which nobody sees on this connection. A pool has others.
        configuration.allowsUnsafeTransactions = connections == .single
        // GRDB keeps the configuration, and so the budgets, for as long as its connections.
        let budgets = LockedValue<[StatementBudget]>([])
        configuration.prepareDatabase { [self] database in
            try lockless?.prepare(database)
            try Self.prepareConnection(database, isOwnStore: isOwnStore)
            if let limits = limits {
                let budget = StatementBudget(limits, on: database.sqliteConnection)
                budgets.withLock { $0.append(budget) }
            }
            if isGuarded {
                try UntrustedStore.restrict(database, isReadOnly: isUntrusted)
            }
        }
        return configuration
    }

    /// The memory for pages of a connection on which requests are computed.
    static let pageCacheKibibytes = 8_192

    /// Registers our functions, and asks SQLite to distrust the file: no functions with side effects from its
    /// schema, and pages checked before they are used.
    static func prepareConnection(_ database: Database, isOwnStore: Bool) throws {
        KeyFunctions.install(on: database.sqliteConnection)
        TextCollations.install(on: database.sqliteConnection)
        // In a WAL database this survives the death of the process, and loses no more than the last commits
        // in a power cut. Somebody else's database may have another journal, for which SQLite's default is
        // right.
        try database.runScript(
            isOwnStore
                ? "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -\(pageCacheKibibytes)"
                : "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }
}
