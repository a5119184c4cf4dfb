import CSQLiteShims
import GRDB

extension ChangeTracking {
    /// Checks that the writes of a connection can be detected. An application may have disabled triggers on a
    /// connection that it passed in.
    ///
    /// Source: sqlite.org/c3ref/c_dbconfig_defensive.html, `SQLITE_DBCONFIG_ENABLE_TRIGGER`.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/triggersDisabled``.
    static func checkTriggersFire(in database: Database) throws {
        guard csqlitesettings_triggers_fire(UnsafeMutableRawPointer(database.connection)) == 0 else { return }
        throw ObjectStorageError(
            .triggersDisabled,
            "Triggers are disabled on the connection (SQLITE_DBCONFIG_ENABLE_TRIGGER), so its writes could not be detected. Nothing was written; enable triggers, or map the tables with StoreOptions.existingTables = .untracked."
        )
    }
}
