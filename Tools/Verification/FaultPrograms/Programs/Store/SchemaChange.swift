import CheckSupport

/// A schema change that another program makes to a store of songs.
struct SchemaChange {
    let sql: String
    /// Whether it removes what the model needs, so that opening or fetching may throw an error.
    var mayBeRefused = false
    /// Whether it leaves something behind that rules out caching.
    var endsTracking = false
    /// Whether SQLite's schema version stays the same, so that only a new process can detect the change.
    var keepsVersion = false

    static func random(
        _ tables: SongTables, number: Int, using generator: inout SeededGenerator
    ) -> SchemaChange {
        let songs = tables.songs
        let event = ["insert", "update", "delete"].randomElement(using: &generator) ?? "update"
        let trigger = "sc_\(songs)_\(event)"
        let untracked =
            [
                "INSERT INTO \(songs) (\(tables.key), title, genre) SELECT coalesce(max(\(tables.key)), 0) + 1, 'new \(number)', 'untracked' FROM \(songs)",
                "UPDATE \(songs) SET genre = 'untracked' WHERE \(tables.key) % 2 = 0",
                "DELETE FROM \(songs) WHERE \(tables.key) % 7 = 0",
            ].randomElement(using: &generator) ?? ""
        let copied = "CREATE TABLE copied AS SELECT * FROM \(songs); UPDATE copied SET genre = 'copied'"
        switch Int.random(in: 0..<18, using: &generator) {
        case 0: return Self(sql: "ALTER TABLE \(songs) ADD COLUMN more\(number) TEXT DEFAULT 'm'")
        case 1:
            return Self(
                sql: "ALTER TABLE \(songs) ADD COLUMN passing TEXT; ALTER TABLE \(songs) DROP COLUMN passing")
        case 2: return Self(sql: "ALTER TABLE \(songs) DROP COLUMN year", mayBeRefused: true)
        case 3: return Self(sql: "ALTER TABLE \(songs) RENAME COLUMN genre TO kind", mayBeRefused: true)
        case 4:
            return Self(
                sql:
                    "ALTER TABLE \(songs) RENAME COLUMN genre TO kind; \(untracked.replacing("genre", with: "kind")); "
                    + "ALTER TABLE \(songs) RENAME COLUMN kind TO genre")
        case 5: return Self(sql: "ALTER TABLE \(songs) RENAME TO renamed", mayBeRefused: true)
        case 6:
            return Self(
                sql: "ALTER TABLE \(songs) RENAME TO renamed; UPDATE renamed SET genre = 'renamed'; "
                    + "ALTER TABLE renamed RENAME TO \(songs)")
        case 7: return Self(sql: "CREATE INDEX more\(number) ON \(songs) (year, title); \(untracked)")
        case 8: return Self(sql: "CREATE UNIQUE INDEX more\(number) ON \(songs) (title, year); \(untracked)")
        case 9: return Self(sql: "DROP TABLE \(songs)", mayBeRefused: true)
        case 10:
            return Self(
                sql: "PRAGMA foreign_keys = OFF; BEGIN; \(copied); DELETE FROM \(songs); "
                    + "INSERT INTO \(songs) SELECT * FROM copied; DROP TABLE copied; COMMIT; PRAGMA foreign_keys = ON"
            )
        case 11, 12: return Self(sql: "DROP TRIGGER \(trigger); \(untracked)")
        case 13:
            return Self(
                sql:
                    "DROP TRIGGER \(trigger); CREATE TRIGGER \(trigger) AFTER \(event.uppercased()) ON \(songs) "
                    + "BEGIN SELECT 1; END; \(untracked)")
        case 14:
            return Self(
                sql:
                    "DROP TRIGGER sc_\(songs)_insert; DROP TRIGGER sc_\(songs)_update; DROP TRIGGER sc_\(songs)_delete; "
                    + untracked)
        case 15, 16:
            // The only way that does not change SQLite's schema version.
            let edit =
                Bool.random(using: &generator)
                ? "DELETE FROM sqlite_schema"
                : "UPDATE sqlite_schema SET sql = 'CREATE TRIGGER \(trigger) AFTER \(event.uppercased()) ON \(songs) BEGIN SELECT 1; END'"
            return Self(
                sql: "PRAGMA writable_schema = ON; \(edit) WHERE type = 'trigger' AND name = '\(trigger)'; "
                    + "PRAGMA writable_schema = RESET; \(untracked)", keepsVersion: true)
        default: return Self(sql: "DELETE FROM sc_gen WHERE tbl = '\(songs)'; \(untracked)")
        }
    }
}
