import Foundation
import GRDB
import Testing

import ObjectStorage

@Suite struct ChangeLogTests {
    private let store: LoggedStore

    init() throws {
        store = try LoggedStore()
        store.fill()
    }

    @Test(arguments: [
        ("INSERT INTO Song (title) VALUES ('more')", [9]),
        ("UPDATE Song SET rating = 3 WHERE objectID IN (2, 5)", [2, 5]),
        ("UPDATE Song SET title = 'SONG 2' WHERE objectID = 2", [2]),
        ("DELETE FROM Song WHERE objectID = 4", [4]), ("DELETE FROM Song", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("UPDATE Song SET objectID = 70 WHERE objectID = 7", [7, 70]),
        ("INSERT OR REPLACE INTO Song (title, number) VALUES ('song 3', 5)", [3, 5, 9]),
        ("REPLACE INTO Song (objectID, title) VALUES (2, 'song 6')", [2, 6]),
        ("REPLACE INTO Song (title, disc, place) VALUES ('other', 1, 6)", [6, 9]),
        ("UPDATE OR REPLACE Song SET title = 'song 3' WHERE objectID = 5", [3, 5]),
        ("UPDATE OR REPLACE Song SET objectID = 3 WHERE objectID = 5", [3, 5]),
        ("UPDATE OR REPLACE Song SET place = 1 WHERE objectID > 6", [1, 7, 8]),
        (
            "INSERT INTO Song (title) VALUES ('song 2') ON CONFLICT (title) DO UPDATE SET rating = 9; INSERT INTO Song (title) VALUES ('song 2') ON CONFLICT (title) DO UPDATE SET rating = 8",
            [2]
        ),
        (
            "UPDATE OR FAIL Song SET rating = 7 WHERE objectID = 1; UPDATE OR ABORT Song SET rating = 8 WHERE objectID = 1; UPDATE OR ROLLBACK Song SET rating = 9 WHERE objectID = 1; UPDATE OR IGNORE Song SET rating = 10 WHERE objectID = 1",
            [1]
        ),
        ("BEGIN; DELETE FROM Song; ROLLBACK", []),
        (
            "BEGIN; UPDATE Song SET rating = 9 WHERE objectID = 1; SAVEPOINT s; DELETE FROM Song; ROLLBACK TO s; COMMIT",
            [1]
        ),
        ("PRAGMA foreign_keys = ON; DELETE FROM Artist WHERE objectID = 2", [1, 4, 7]),
        ("UPDATE Song SET rating = rating, title = title, picture = picture", []),
        (
            "UPDATE Song SET rating = 1 WHERE objectID = 1; UPDATE Song SET rating = 0.5 WHERE objectID = 1",
            [1]
        ),
        ("INSERT OR IGNORE INTO Song (objectID, title) VALUES (3, 'unheard')", []),
    ])
    func `the log has the keys that a statement of any program changed`(sql: String, keys: [Int64]) throws {
        let before = try store.states()
        store.run(sql)
        #expect(try store.loggedKeys("Song", since: before) == keys)
        _ = try store.states()
        #expect(try store.loggedKeys("Song", since: before) == keys, "after the stamp")
    }

    @Test func `a row that moves to another entity logs the row that it displaces there`() throws {
        store.run("UPDATE Media SET code = 'a' WHERE objectID = 2")
        let before = try store.states()
        store.run("UPDATE OR REPLACE Media SET \".entity\" = 'Tune' WHERE objectID = 2")
        #expect(try store.loggedKeys("Media", since: before) == [1, 2])
    }

    @Test(arguments: [
        "UPDATE Song SET rating = rating", "UPDATE Song SET title = title || ''",
        "UPDATE Artist SET name = name",
        "UPDATE \"Song.tags\" SET target = target", "INSERT OR IGNORE INTO Song (title) VALUES ('song 1')",
        "INSERT INTO Song (title) VALUES ('song 1') ON CONFLICT DO NOTHING", "DELETE FROM Song WHERE 0",
        "UPDATE OR IGNORE Song SET title = 'song 1' WHERE objectID = 2",
        "BEGIN; UPDATE Song SET rating = 100; ROLLBACK",
    ])
    func `a statement that changes nothing leaves the version stamps unchanged`(sql: String) throws {
        let before = try store.states()
        store.run(sql)
        #expect(try store.container.state(of: store.tables.map(\.name)).tables == before)
        #expect(try store.container.rowChanges(since: before) == .known([]))
    }

    @Test(arguments: [
        ("UPDATE Song SET title = 'Song 1' WHERE objectID = 1", true),
        ("UPDATE Song SET note = '' WHERE objectID = 1", true),
        ("UPDATE Song SET note = 'é' WHERE objectID = 2", true),
        ("UPDATE Song SET note = CAST('e' AS BLOB) WHERE objectID = 3", true),
        ("UPDATE Song SET number = '1152921504606846976.0' WHERE objectID = 4", true),
        ("UPDATE Song SET picture = 1.0 WHERE objectID = 5", true),
        ("UPDATE Song SET picture = x'00' WHERE objectID = 6", false),
        ("UPDATE Song SET rating = 1 WHERE objectID = 7", false),
    ])
    func `values that compare as equal and differ in bytes are a change`(sql: String, isChange: Bool) throws {
        store.run(
            """
            UPDATE Song SET note = 'e' || char(769), number = 4611686018427387904 + objectID;
            UPDATE Song SET note = 'e' WHERE objectID = 3; UPDATE Song SET note = NULL WHERE objectID = 1;
            UPDATE Song SET number = 1152921504606846975 WHERE objectID = 4; UPDATE Song SET picture = 1 WHERE objectID = 5;
            UPDATE Song SET picture = zeroblob(1) WHERE objectID = 6; UPDATE Song SET rating = 1.0 WHERE objectID = 7
            """)
        let before = try store.states()
        store.run(sql)
        #expect(try store.loggedKeys("Song", since: before)?.isEmpty == !isChange)
    }

    @Test
    func `rows that a statement might have displaced but did not may be logged beside real changes`() throws {
        let before = try store.states()
        store.run(
            "INSERT OR IGNORE INTO Song (title) VALUES ('song 4'); UPDATE Song SET rating = 0 WHERE objectID = 1"
        )
        #expect(try store.loggedKeys("Song", since: before) == [1, 4])
    }

    @Test func `links are logged with the keys of both ends`() throws {
        let before = try store.states()
        store.run(
            "DELETE FROM \"Song.tags\" WHERE source = 2; INSERT INTO \"Song.tags\" VALUES (1, 1); UPDATE \"Song.tags\" SET target = 3 WHERE source = 5 AND target = 3; REPLACE INTO \"Song.tags\" VALUES (1, 1)"
        )
        let changes = try store.logged("Song.tags", since: before)
        #expect(changes?.keys == [1, 2] && changes?.otherKeys == [1, 3])
    }

    @Test(arguments: [
        ("UPDATE Song SET artist = 3 WHERE objectID = 1", [2]),
        ("UPDATE Song SET artist = NULL WHERE objectID IN (1, 2)", [2, 3]),
        ("UPDATE Song SET artist = artist, rating = 9", []), ("DELETE FROM Song WHERE objectID = 3", [1]),
        ("INSERT INTO Song (title, artist) VALUES ('new', 3)", []),
        ("REPLACE INTO Song (title, artist) VALUES ('song 2', 1)", [3]),
        ("REPLACE INTO Song (objectID, title, artist) VALUES (2, 'new', 1)", [-1]),
        ("REPLACE INTO Song (objectID, title, artist) VALUES (8, 'new', 1)", [-1]),
        ("UPDATE OR REPLACE Song SET objectID = 2 WHERE objectID = 4", [-1]),
        ("UPDATE OR REPLACE Song SET title = 'song 4' WHERE objectID = 5", [2]),
        (
            "UPDATE Song SET artist = 3 WHERE objectID = 1; UPDATE Song SET artist = 1 WHERE objectID = 1",
            [2, 3]
        ),
        ("UPDATE Artist SET name = 'x' WHERE objectID = 1", []),
    ])
    func `the objects that lost a row of their to-many relationship are logged`(
        sql: String, artists: [Int64]
    ) throws {
        let before = try store.states()
        store.run(sql)
        #expect(try store.logged("Song", since: before)?.otherKeys == artists)
    }

    @Test(arguments: [
        "UPDATE Song SET objectID = 100 WHERE objectID = 4",
        "INSERT INTO Song (objectID, title) VALUES (100, 'late')",
    ])
    func `a row that replaces one with a key from outside the sequence is logged as such`(sql: String) throws
    {
        store.run(sql)
        let before = try store.states()
        store.run("REPLACE INTO Song (objectID, title, artist) VALUES (100, 'new', 1)")
        #expect(try store.logged("Song", since: before)?.otherKeys == [-1])
    }

    @Test func `a unique attribute of a sub-entity displaces only rows of that sub-entity`() throws {
        let before = try store.states()
        store.run(
            "REPLACE INTO Media (\".entity\", title, code) VALUES ('Tune', 'new', 'c'), ('Tune', 'newer', 'b')"
        )
        #expect(try store.loggedKeys("Media", since: before) == [3, 4, 5])
    }

    @Test
    func `tables without changes are omitted, and the others are in the order of the argument`() throws {
        let before = try store.states()
        store.run("UPDATE Tag SET name = 'x' WHERE objectID = 2; DELETE FROM Artist WHERE objectID = 3")
        guard case .known(let changes) = try store.container.rowChanges(since: before) else {
            Issue.record("The changes are unknown.")
            return
        }
        #expect(changes.map(\.tableName) == ["Artist", "Tag"] && changes.map(\.keys) == [[3], [2]])
        #expect(changes.allSatisfy { $0.otherKeys.isEmpty })
    }

    @Test func `saves and batches are logged like the writes of other programs`() throws {
        let first = try store.states()
        let context = store.container.newContext()
        let song = try context.insert(entityNamed: "Song")
        song["title"] = "new"
        try context.save()
        let second = try store.states()
        song["rating"] = 3
        try context.save()
        #expect(try store.loggedKeys("Song", since: first) == [9])
        #expect(try store.loggedKeys("Song", since: second) == [9])
        try context.batchUpdate(
            FetchRequest<ManagedObject>(entityName: "Song", predicate: .init(format: "rating < 1")),
            set: [.set("note", to: "low")])
        try context.batchDelete(
            FetchRequest<ManagedObject>(entityName: "Song", predicate: .init(format: "number == 4")))
        try context.batchInsert(
            ManagedObject.self, entityName: "Song", rows: [["title": "batch"], ["title": "other"]])
        #expect(try store.loggedKeys("Song", since: second) == [1, 4, 9, 10, 11])
        #expect(try store.logged("Song.tags", since: second)?.keys == [4])
    }

    @Test func `a snapshot with unsaved changes reports their rows as changed`() throws {
        let context = store.container.newContext()
        let before = try store.states()
        try #require(
            context.fetch(
                FetchRequest<ManagedObject>(entityName: "Song", predicate: .init(format: "number == 3"))
            )
            .first)["rating"] = 10
        let request = FetchRequest<ManagedObject>(entityName: "Song").description
        let changes = try context.withSnapshot(of: request, columns: .keys, includingPendingChanges: true) {
            try $0.rowChanges(since: before.filter { $0.tableName == "Song" })
        }
        #expect(changes == .known([TableRowChanges(tableName: "Song", keys: [3], otherKeys: [])]))
        #expect(try store.container.rowChanges(since: before) == .known([]))
    }
}

extension StoreStateResult {
    /// The version stamps of the tables; empty if a table is dirty.
    var tables: [StoreState.Table] { if case .stamped(let state) = self { state.tables } else { [] } }
}
