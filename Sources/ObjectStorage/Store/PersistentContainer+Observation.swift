import GRDB
import InternalUtilities

extension PersistentContainer {
    /// Notifies GRDB of the tables that the current transaction of `database` changes, so that the
    /// application's observations include its commit. GRDB does not observe rows that are written with
    /// SQLite's C functions.
    ///
    /// A connection of the library has no observers and is not notified.
    ///
    /// - Parameters:
    ///   - tables: The tables that changed, and those that were only stamped.
    ///   - hasChangedRows: Whether the transaction changed any row.
    /// - Complexity: O(*n*) in the number of tables that changed; O(*t*) in the number of tables and triggers
    ///   of the database when the schema changed.
    func notifyObservers(
        of tables: [TableTransition], hasChangedRows: Bool, in database: Database
    ) throws {
        guard connections.isApplications, hasChangedRows else { return }
        // Without tracking, the tables that triggers and foreign keys of the application change are unknown.
        guard isTracked else { return try database.notifyChanges(in: .fullDatabase) }
        let changed = tables.filter { !$0.isStampedOnly }.map(\.tableName)
        guard !changed.isEmpty else { return }
        let unchanged = Set(model.tableNames + model.linkTables.map(\.name)).subtracting(changed)
        let names = try effects(in: database).tables(changedWith: changed, unchanged: unchanged)
        guard let names else { return try database.notifyChanges(in: .fullDatabase) }
        var region = DatabaseRegion()
        for name in names { region.formUnion(try Table(name).databaseRegion(database)) }
        try database.notifyChanges(in: region)
    }

    private func effects(in database: Database) throws -> TableEffects {
        let version = try database.schemaVersionValue()
        if let known = knownEffects.withLock({ $0 }), known.version == version { return known }
        let ownTriggers = Set(model.tables.flatMap { LargeValueTable.triggers($0).map(\.name) })
        let effects = try TableEffects(version: version, ownTriggers: ownTriggers, in: database)
        knownEffects.withLock { $0 = effects }
        return effects
    }
}
