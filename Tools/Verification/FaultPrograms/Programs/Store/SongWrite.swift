import CheckSupport

/// Statements by which another program changes a store of songs, with every kind of write.
enum SongWrite {
    /// Returns the statements that insert the first rows of a store.
    static func first(
        _ tables: SongTables, songs count: Int, using generator: inout SeededGenerator
    ) -> String {
        var sql = "BEGIN;"
        for number in 1...4 {
            sql += "INSERT INTO \(tables.singers) (\(tables.singerKey), name) "
            sql += "VALUES (\(number), 'singer \(number % 3)');"
        }
        sql += "INSERT INTO \(tables.lists) (\(tables.listKey), name) VALUES (1, 'mine'), (2, 'yours');"
        // The keys have gaps and are not in the order of the rows, so that row IDs can differ from them.
        for number in 1...count {
            let key = (number * 7) % (count * 2 + 1) + 1
            sql += insertion("INSERT OR IGNORE", tables, key: "\(key)", using: &generator)
            if number % 3 == 0 {
                sql += "INSERT OR IGNORE INTO \(tables.links) (\(tables.linkSong), \(tables.linkList)) "
                sql += "SELECT \(tables.key), 1 FROM \(tables.songs) WHERE \(tables.key) = \(key);"
            }
        }
        return sql + "INSERT INTO \(tables.remarks) (text) VALUES ('none'); COMMIT"
    }

    private static func insertion(
        _ verb: String, _ tables: SongTables, key: String, title: String? = nil,
        using generator: inout SeededGenerator
    ) -> String {
        let singer = Bool.random(using: &generator) ? "\(Int.random(in: 1...4, using: &generator))" : "NULL"
        return "\(verb) INTO \(tables.songs) (\(tables.key), title, genre, year, released, \(tables.singer)) "
            + "VALUES (\(key), \(title ?? anyTitle(&generator)), \(genre(&generator)), "
            + "\(year(&generator)), \(Int.random(in: -190_000_000...760_000_000, using: &generator)), \(singer));"
    }

    private static func anyTitle(_ generator: inout SeededGenerator) -> String {
        "'title \(Int.random(in: 0..<2_000, using: &generator))'"
    }

    private static func genre(_ generator: inout SeededGenerator) -> String {
        ["'rock'", "'Rock'", "'jazz'", "'pop'", "'folk'", "NULL", "''"].randomElement(using: &generator)
            ?? "''"
    }

    private static func year(_ generator: inout SeededGenerator) -> String {
        Int.random(in: 0..<5, using: &generator) == 0
            ? "NULL" : "\(1_990 + Int.random(in: 0..<6, using: &generator))"
    }

    /// Returns one change, or one that is rolled back, as one or several statements.
    static func random(_ tables: SongTables, using generator: inout SeededGenerator) -> String {
        let songs = tables.songs
        let key = tables.key
        // A row that probably exists.
        let some =
            "(SELECT \(key) FROM \(songs) ORDER BY \(key) LIMIT 1 OFFSET \(Int.random(in: 0..<40, using: &generator)))"
        let another = "\(Int.random(in: 1...90, using: &generator))"
        let new = "(SELECT coalesce(max(\(key)), 0) + 1 FROM \(songs))"
        let update = "UPDATE \(songs) SET genre = \(genre(&generator)) WHERE \(key) = \(some);"
        let otherUpdate =
            "UPDATE \(songs) SET year = \(year(&generator)), title = \(anyTitle(&generator)) WHERE \(key) = \(some);"
        let insert = insertion("INSERT", tables, key: new, using: &generator)
        switch Int.random(in: 0..<30, using: &generator) {
        case 0, 1: return insert
        case 2, 3: return update
        case 4: return "UPDATE \(songs) SET title = title;"
        case 5: return insertion("REPLACE", tables, key: another, using: &generator)
        // Displaces a row with another key.
        case 6:
            return insertion(
                "REPLACE", tables, key: new, title: "(SELECT title FROM \(songs) LIMIT 1)", using: &generator)
        case 7:
            return
                "UPDATE OR REPLACE \(songs) SET title = (SELECT max(title) FROM \(songs)) WHERE \(key) = \(some);"
        case 8:
            return insertion("INSERT", tables, key: another, using: &generator).dropLast()
                + " ON CONFLICT (\(key)) DO UPDATE SET genre = excluded.genre, year = excluded.year;"
        case 9: return insertion("INSERT OR IGNORE", tables, key: another, using: &generator)
        case 10: return "DELETE FROM \(songs) WHERE \(key) = \(some);"
        case 11:
            return Bool.random(using: &generator)
                ? "DELETE FROM \(songs);" : "DELETE FROM \(songs) WHERE genre = 'rock';"
        case 12: return "UPDATE \(songs) SET \(key) = \(key) + 1000 WHERE \(key) = \(some);"
        case 13:
            return
                "PRAGMA foreign_keys = ON; DELETE FROM \(tables.singers) WHERE \(tables.singerKey) = \(Int.random(in: 1...4, using: &generator));"
        case 14:
            return
                "PRAGMA foreign_keys = ON; REPLACE INTO \(tables.singers) (\(tables.singerKey), name) VALUES (2, 'singer 2');"
        case 15: return "UPDATE \(tables.singers) SET name = name || 'x' WHERE \(tables.singerKey) = 1;"
        case 16:
            return
                "UPDATE \(tables.singers) SET \(tables.singerKey) = \(tables.singerKey) + 10 WHERE \(tables.singerKey) = 3;"
        case 17:
            return
                "INSERT OR IGNORE INTO \(tables.links) (\(tables.linkSong), \(tables.linkList)) SELECT \(key), 1 + \(key) % 2 FROM \(songs) WHERE \(key) % 5 = 1;"
        case 18: return "DELETE FROM \(tables.links) WHERE \(tables.linkSong) % 4 = 1;"
        case 19:
            return "UPDATE \(tables.lists) SET name = CASE name WHEN 'mine' THEN 'yours' ELSE 'mine' END;"
        case 20: return "BEGIN; SAVEPOINT a; \(update) ROLLBACK TO a; \(otherUpdate) RELEASE a; COMMIT;"
        case 21:
            return
                "BEGIN; SAVEPOINT a; \(update) SAVEPOINT b; DELETE FROM \(songs); ROLLBACK TO b; RELEASE a; COMMIT;"
        case 22: return "BEGIN; DELETE FROM \(songs); \(insert) ROLLBACK;"
        case 23:
            return
                "PRAGMA recursive_triggers = ON; \(insertion("REPLACE", tables, key: another, using: &generator)) PRAGMA recursive_triggers = OFF;"
        case 24: return "UPDATE \(tables.remarks) SET text = text || 'x';"
        case 25: return "UPDATE \(songs) SET genre = upper(genre) WHERE \(key) % 3 = 0;"
        case 26: return "UPDATE \(songs) SET genre = genre || CAST(x'00' AS TEXT) WHERE \(key) = \(some);"
        case 27:
            return
                "WITH chosen (k) AS (SELECT \(key) FROM \(songs) LIMIT 3) UPDATE \(songs) SET year = year + 1 FROM chosen WHERE \(key) = k;"
        case 28: return "BEGIN; \(update) \(otherUpdate) \(insert) COMMIT;"
        default:
            // Not BEGIN alone: a transaction that reads before it writes cannot wait for the lock, because
            // another commit in between makes its write fail.
            return "BEGIN IMMEDIATE; CREATE TEMP TABLE kept AS SELECT * FROM main.\(songs); "
                + "DELETE FROM \(songs); INSERT INTO \(songs) SELECT * FROM kept; DROP TABLE temp.kept; COMMIT; \(otherUpdate)"
        }
    }

    /// Returns statements that insert rows into a store that has hardly any left.
    static func refill(_ tables: SongTables, using generator: inout SeededGenerator) -> String {
        var sql = "BEGIN;"
        for _ in 0..<30 {
            sql += insertion(
                "INSERT OR IGNORE", tables,
                key: "(SELECT coalesce(max(\(tables.key)), 0) + 1 FROM \(tables.songs))",
                using: &generator)
        }
        return sql
            + "INSERT OR IGNORE INTO \(tables.singers) (\(tables.singerKey), name) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'); COMMIT"
    }
}
