import Foundation
import ObjectStorage
import Testing

@Suite struct ChangeLogExternalTableTests {
    private static let rows =
        "INSERT INTO things (id, code, name, a, b) VALUES (1, 10, 'x', 1, 1), (2, 20, 'y', 1, 2), (3, 30, 'z', 2, 2)"

    @Test(arguments: [
        ("INSERT INTO things (code, name) VALUES (40, 'w')", [40]),
        ("UPDATE things SET code = 11 WHERE id = 1", [10, 11]),
        ("REPLACE INTO things (id, code) VALUES (2, 50)", [20, 50]),
        ("REPLACE INTO things (code, name) VALUES (50, 'Y')", [20, 50]),
        ("REPLACE INTO things (code, a, b) VALUES (50, 1, 1)", [10, 50]),
        ("UPDATE OR REPLACE things SET id = 3 WHERE id = 1", [10, 30]),
        ("UPDATE OR REPLACE things SET rowid = 3 WHERE id = 1", [10, 30]),
        ("UPDATE OR REPLACE things SET name = 'X', b = 2 WHERE id = 3", [10, 30]),
        ("DELETE FROM things WHERE a = 1", [10, 20]),
        ("ALTER TABLE things DROP COLUMN note; UPDATE things SET b = 9 WHERE id = 3", nil),
    ])
    func `the log has the mapped keys of changed and displaced rows`(sql: String, keys: [Int64]?) throws {
        let store = try LoggedStore(
            mappedTable:
                "CREATE TABLE things (id INTEGER PRIMARY KEY, code INT NOT NULL UNIQUE, name TEXT COLLATE NOCASE UNIQUE, a, b, note, sum AS (a + b) STORED, UNIQUE (a, b))",
            key: "code", rows: Self.rows)
        let before = try store.states()
        store.run(sql)
        #expect(try store.loggedKeys("things", since: before) == keys)
        _ = try store.states()
        #expect(try store.loggedKeys("things", since: before) == keys)
    }

    @Test(arguments: [
        (
            "(code INT NOT NULL UNIQUE, name UNIQUE)", "REPLACE INTO things (rowid, code) VALUES (1, 50)",
            [10, 50]
        ),
        ("(code INTEGER PRIMARY KEY, name UNIQUE)", "REPLACE INTO things VALUES (50, 'x')", [10, 50]),
        (
            "(name PRIMARY KEY, code INT NOT NULL UNIQUE)",
            "UPDATE OR REPLACE things SET _rowid_ = 1 WHERE code = 20", [10, 20]
        ),
        (
            "(code INT NOT NULL UNIQUE, name UNIQUE ON CONFLICT REPLACE)",
            "INSERT INTO things (code, name) VALUES (50, 'x')", [10, 50]
        ),
        (
            "(code INT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (name), UNIQUE (code)) WITHOUT ROWID",
            "REPLACE INTO things (code, name) VALUES (50, 'x')", [10, 50]
        ),
        (
            "(rowid, oid, code INT NOT NULL UNIQUE, name)",
            "REPLACE INTO things (_rowid_, code) VALUES (1, 50)", [10, 50]
        ),
        (
            "(rowid, oid, _rowid_, code INT NOT NULL UNIQUE, name)",
            "UPDATE things SET name = 'q' WHERE code = 20", nil
        ),
        (
            "(code INTEGER PRIMARY KEY, name); CREATE UNIQUE INDEX part ON things (name) WHERE code > 5",
            "UPDATE things SET name = 'q' WHERE code = 20", nil
        ),
        (
            "(code INTEGER PRIMARY KEY, seq, id, gen, room, nonce, name UNIQUE)",
            "REPLACE INTO things (code, name) VALUES (50, 'x')", [10, 50]
        ),
    ])
    func `the log covers every unique key, or is unknown if it cannot`(
        definition: String, sql: String, keys: [Int64]?
    ) throws {
        let store = try LoggedStore(
            mappedTable: "CREATE TABLE things \(definition)", key: "code",
            rows: "INSERT INTO things (code, name) VALUES (10, 'x'), (20, 'y')")
        let before = try store.states()
        let contents = store.run("SELECT * FROM things")
        store.run(sql)
        #expect(store.run("SELECT * FROM things") != contents)
        #expect(try store.loggedKeys("things", since: before) == keys)
        #expect(try store.states() != before)
    }

    @Test
    func `both ends of an updated link are logged, and triggers do not prevent dropping a column`() throws {
        let store = try Chinook()
        let container = try store.open(.tracked)
        let names = ["albums", "playlist_track"]
        try store.sqlite(
            "INSERT INTO playlist_track VALUES (2, 1); DELETE FROM playlist_track WHERE TrackId = 3")
        try container.repairTracking(of: names)
        let again = try container.state(of: names).tables
        try store.sqlite("UPDATE playlist_track SET TrackId = 2 WHERE PlaylistId = 2")
        guard case .known(let changes) = try container.rowChanges(since: again) else {
            Issue.record("The changes are unknown.")
            return
        }
        #expect(changes == [TableRowChanges(tableName: "playlist_track", keys: [2], otherKeys: [1, 2])])
        try store.sqlite("ALTER TABLE albums DROP COLUMN rating")
        #expect(try container.rowChanges(since: again) != .known([]))
    }
}
