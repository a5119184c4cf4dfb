import CSQLiteShims
import GRDB

extension ChangeTracking {
    /// Makes sure that what a connection writes is noticed. An application may have switched triggers off on
    /// one that it handed over.
    ///
    /// Source: sqlite.org/c3ref/c_dbconfig_defensive.html, `SQLITE_DBCONFIG_ENABLE_TRIGGER`.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/triggersDisabled``.
    static func checkTriggersFire(in database: Database) throws {
        guard csqlitesettings_triggers_fire(UnsafeMutableRawPointer(database.connection)) == 0 else { return }
        throw ObjectStorageError(
            .triggersDisabled,
            "Triggers are switched off on the connection (SQLITE_DBCONFIG_ENABLE_TRIGGER), so nobody would notice what it writes. Nothing was written; switch them on, or map the tables with StoreOptions.existingTables = .untracked."
        )
    }
}
