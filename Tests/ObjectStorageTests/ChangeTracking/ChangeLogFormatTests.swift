import Foundation
import ObjectStorage
import Testing

@Suite struct ChangeLogFormatTests {
    private let store: LoggedStore

    init() throws {
        store = try LoggedStore()
        store.fill()
        _ = try store.states()
    }

    /// Converts the store to the format that the library wrote before it had a log.
    private func makePrevious() throws {
        let triggers = store.run("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'sc_*'")
        var sql = triggers.split(separator: "\n").map { "DROP TRIGGER \"\($0)\";" }.joined()
        sql += """
            DROP TABLE sc_log; DROP TABLE sc_epoch; UPDATE sc_store SET format = 1;
            CREATE TABLE previous (id INTEGER PRIMARY KEY, tbl TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, nonce BLOB);
            INSERT INTO previous SELECT id, tbl, seq, nonce FROM sc_gen; DROP TABLE sc_gen; ALTER TABLE previous RENAME TO sc_gen;
            """
        sql += try previousTriggers()
        try Library.runElsewhere(sql, path: store.url.path)
    }

    private func previousTriggers() throws -> String {
        let tables = store.run("SELECT id || ' ' || tbl FROM sc_gen").split(separator: "\n")
        return tables.flatMap { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return ["INSERT", "UPDATE", "DELETE"].map { event in
                "CREATE TRIGGER \"sc_\(parts[1])_\(event.lowercased())\" AFTER \(event) ON \"\(parts[1])\" WHEN (SELECT nonce FROM sc_gen WHERE id = \(parts[0])) IS NOT NULL BEGIN UPDATE sc_gen SET nonce = NULL WHERE id = \(parts[0]); END;"
            }
        }.joined()
    }

    @Test func `a store without a log is read and not changed, and its changes are unknown`() throws {
        let states = try store.states()
        try makePrevious()
        let bytes = try Data(contentsOf: store.url)
        let previous = try LoggedStore.Reopened(url: store.url, StoreOptions(isReadOnly: true))
        // A stamp of that format might come from a dump, so it counts as absent.
        guard
            case .dirty(["Artist", "Song", "Tag"]) = try previous.container.state(of: [
                "Artist", "Song", "Tag",
            ])
        else {
            Issue.record("a store of the previous format has a state")
            return
        }
        let known = states.filter { ["Artist", "Song", "Tag"].contains($0.tableName) }
        #expect(try previous.reason(since: known)?.contains("without a log") == true)
        #expect(
            try previous.container.newContext().count(for: FetchRequest<ManagedObject>(entityName: "Song"))
                == 8
        )
        #expect(try Data(contentsOf: store.url) == bytes)
    }

    @Test
    func `a store without a log is upgraded when it is opened for writing, and logs from then on`() throws {
        try makePrevious()
        let tables = store.tables
        let contents = try tables.map(store.contents)
        let upgraded = try LoggedStore.Reopened(url: store.url)
        #expect(store.run("SELECT format FROM sc_store") == "2\n")
        let before = try upgraded.states()
        #expect(try tables.map(store.contents) == contents)
        upgraded.run("REPLACE INTO Song (title) VALUES ('song 2')")
        #expect(try upgraded.loggedKeys("Song", since: before) == [2, 9])
        let again = try LoggedStore.Reopened(url: store.url)
        #expect(try again.loggedKeys("Song", since: before) == [2, 9])
        #expect(
            store.run("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Song'")
                == "5\n")
    }

    @Test func `the log has a gap if an older version of the library stamped a table`() throws {
        let before = try store.states()
        store.run(
            "UPDATE Song SET rating = 9 WHERE objectID = 1; UPDATE sc_gen SET seq = seq + 1, nonce = randomblob(16) WHERE nonce IS NULL"
        )
        #expect(try store.reason(since: before)?.contains("older version") == true)
        let after = try store.states()
        #expect(try store.reason(since: before) != nil)
        store.run("UPDATE Song SET rating = 9 WHERE objectID = 2")
        #expect(try store.states() != after)
        #expect(try store.reason(since: before) != nil)
    }

    @Test func `a change makes a table dirty even if its log has no room`() throws {
        let before = try store.states()
        store.run("UPDATE sc_gen SET room = 0")
        store.run("DELETE FROM Song WHERE objectID = 1")
        guard case .dirty(let names) = try store.container.state(of: before.map(\.tableName)) else {
            Issue.record("the change was not detected")
            return
        }
        #expect(names == ["Song"])
        #expect(try store.reason(since: before.filter { $0.tableName == "Song" }) != nil)
    }

    @Test
    func `a store without a log can be opened read-only, and one of a newer format is refused`() throws {
        try makePrevious()
        let previous = try LoggedStore.Reopened(url: store.url, StoreOptions(isReadOnly: true))
        #expect(
            try previous.container.newContext().count(for: FetchRequest<ManagedObject>(entityName: "Song"))
                == 8
        )
        store.run("UPDATE sc_store SET format = 3")
        let error = #expect(throws: ObjectStorageError.self) { try LoggedStore.Reopened(url: store.url) }
        #expect(error?.code == .newerFormat)
    }
}
