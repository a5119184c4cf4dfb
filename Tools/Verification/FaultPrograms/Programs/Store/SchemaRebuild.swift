import Foundation
import GRDB
import SectionedFetch
import CheckSupport

/// Changes of another program after which the schema has the same texts as before although rows were changed
/// without triggers; and changes to the tables of the log.
enum SchemaRebuild {
    static func random(
        _ store: SongStore, number: Int, using generator: inout SeededGenerator
    ) throws -> SchemaChange {
        let songs = store.tables.songs
        let schema = try store.other().read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? AND sql NOTNULL
                    ORDER BY rowid
                    """,
                arguments: [songs])
        }
        func texts(_ types: String...) -> [String] {
            schema.filter { types.contains($0["type"]) }.map { $0["sql"] }
        }
        let table = texts("table").first ?? ""
        let triggerNames: [String] = schema.filter { $0["type"] == "trigger" }.map { $0["name"] }
        let untracked = "UPDATE \(songs) SET genre = 'untracked \(number)' WHERE \(store.tables.key) % 2 = 0"

        /// Creates a table under another name, copies the rows, and replaces the first table with it.
        func rebuilt(as name: String, _ changed: String, restoring types: String...) -> SchemaChange {
            var creation = table
            if let range = creation.range(of: "\"\(songs)\"") ?? creation.range(of: songs) {
                creation.replaceSubrange(range, with: "\"\(name)\"")
            }
            let restored = types.flatMap { texts($0) }.map { $0 + "; " }.joined()
            return SchemaChange(
                sql: "PRAGMA foreign_keys = OFF; BEGIN; \(creation); "
                    + "INSERT INTO \"\(name)\" SELECT * FROM \"\(songs)\"; "
                    + "\(changed.replacing("UPDATE \(songs)", with: "UPDATE \"\(name)\"")); "
                    + "DROP TABLE \"\(songs)\"; ALTER TABLE \"\(name)\" RENAME TO \"\(songs)\"; \(restored)COMMIT; "
                    + "PRAGMA foreign_keys = ON")
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return rebuilt(as: "sqlb_temp_table_1", untracked, restoring: "index", "trigger")
        case 1: return rebuilt(as: "\(songs)_new_0a1b2c3d4e5f", untracked, restoring: "trigger", "index")
        case 2: return rebuilt(as: "_alembic_tmp_\(songs)", untracked, restoring: "index", "trigger")
        case 3, 4:
            // The last triggers are dropped and created again.
            let count = Int.random(in: 1...max(1, triggerNames.count), using: &generator)
            let dropped = triggerNames.suffix(count)
            let made = texts("trigger").suffix(dropped.count)
            return SchemaChange(
                sql: "BEGIN; \(dropped.map { "DROP TRIGGER \"\($0)\"; " }.joined())\(untracked); "
                    + "\(made.map { $0 + "; " }.joined())COMMIT")
        case 5:
            return SchemaChange(
                sql: "CREATE TRIGGER keep\(number) AFTER UPDATE OF nonce ON sc_gen WHEN NEW.nonce IS NULL "
                    + "BEGIN UPDATE sc_gen SET nonce = OLD.nonce WHERE id = NEW.id; END; \(untracked)",
                endsTracking: true)
        case 6:
            return SchemaChange(
                sql: "CREATE TRIGGER keep\(number) BEFORE UPDATE ON sc_gen BEGIN SELECT RAISE(IGNORE); END; "
                    + untracked,
                endsTracking: true)
        case 7:
            return SchemaChange(
                sql: "\(untracked); DELETE FROM sc_log WHERE key % 2 = \(number % 2)")
        case 8:
            return SchemaChange(
                sql: "CREATE UNIQUE INDEX passing ON \(songs) (title, genre, year, \(store.tables.key)); "
                    + "\(untracked); DROP INDEX passing")
        default:
            return SchemaChange(
                sql: "CREATE TABLE passing (a); INSERT INTO passing VALUES (1); DROP TABLE passing; ANALYZE; "
                    + "CREATE INDEX more\(number) ON \(songs) (year, title)")
        }
    }
}
