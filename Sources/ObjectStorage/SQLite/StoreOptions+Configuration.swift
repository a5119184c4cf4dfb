import GRDB
import InternalUtilities

extension StoreOptions {
    /// Returns the configuration of a connection on which requests are evaluated.
    ///
    /// - Parameter isOwnStore: Whether all tables of the model are the store's own.
    func configuration(isOwnStore: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isFileReadOnly
        configuration.busyMode = .timeout(Double(busyMilliseconds) / 1_000)
        // A commit may be left to another thread, which is invisible on this connection. A pool has other
        // connections.
        configuration.allowsUnsafeTransactions = connections == .single
        // GRDB retains the configuration, and so the budgets, as long as its connections.
        let budgets = LockedValue<[StatementBudget]>([])
        configuration.prepareDatabase { [self] database in
            try lockless?.prepare(database)
            try Self.prepareConnection(database, isOwnStore: isOwnStore)
            try transactionRules?.prepare(ExternalStoreConnection(database))
            if let limits = limits {
                let budget = StatementBudget(limits, on: database.sqliteConnection)
                budgets.withLock { $0.append(budget) }
            }
            if isGuarded {
                try UntrustedStore.restrict(database, isReadOnly: isUntrusted || isReadOnly)
                try allowViews(on: database)
            } else if isReadOnly {
                try database.runScript("PRAGMA query_only = ON")
            }
        }
        return configuration
    }

    /// Returns the options for opening a file: with the protections for an untrusted store, and without
    /// leaving a file beside another program's database.
    func protected(for path: String) -> StoreOptions {
        if isUntrusted { return UntrustedStore.options(self, path: path) }
        var options = limitedForViews
        guard isReadOnly, existingTables == .untracked, connections == .single else { return options }
        options.opensFileForWriting = UntrustedStore.isClosed(path)
        return options
    }

    /// The options with limits, if views are read: a view can be an endless statement.
    var limitedForViews: StoreOptions {
        var options = self
        if readableViews != .none { options.limits = limits ?? StoreLimits() }
        return options
    }

    /// The size of the page cache of a connection on which requests are evaluated.
    static let pageCacheKibibytes = 8_192

    /// Registers the SQL functions and collations, and makes SQLite distrust the file: its schema cannot call
    /// functions with side effects, and pages are checked before use.
    static func prepareConnection(_ database: Database, isOwnStore: Bool) throws {
        KeyFunctions.install(on: database.sqliteConnection)
        TextCollations.install(on: database.sqliteConnection)
        // With a write-ahead log this setting survives the end of the process, and a power failure loses only
        // the last commits. An application's database may have another journal mode, for which SQLite's
        // default is appropriate.
        try database.runScript(
            isOwnStore
                ? "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -\(pageCacheKibibytes)"
                : "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }
}
