import CheckSupport
import Foundation
import ObjectStorage
import Testing

@Suite struct ChangeLogLimitTests {
    private let store: LoggedStore

    init() throws {
        store = try LoggedStore()
        store.fill()
    }

    private func insert(_ count: Int, into table: String = "Tag") {
        store.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) INSERT INTO \(table) (name) SELECT 'x' || i FROM n"
        )
    }

    @Test(arguments: [(4_095, true), (4_096, false), (20_000, false)])
    func `an epoch with more changed rows than the log's capacity is unknown`(
        count: Int, isKnown: Bool
    ) throws {
        let before = try store.states()
        insert(count)
        for _ in 0..<2 {
            #expect(try store.loggedKeys("Tag", since: before).map(\.count) == (isKnown ? count : nil))
            if !isKnown {
                #expect(try store.reason(since: before)?.contains("more than 4096 rows of “Tag”") == true)
            }
            _ = try store.states()
        }
        #expect(store.numberOfLoggedTags() == (isKnown ? count + 3 : 0))
        let after = try store.states()
        insert(1)
        #expect(try store.loggedKeys("Tag", since: after) == [Int64(count + 4)])
        // Each table has its own log.
        #expect(try store.loggedKeys("Song", since: before.filter { $0.tableName == "Song" }) == [])
    }

    @Test
    func `changes since more than sixty-four stamps ago are unknown, and the log stays bounded`() throws {
        var states = [try store.states()]
        for number in 0..<200 {
            store.run("UPDATE Tag SET name = 'name \(number)' WHERE objectID = \(number % 3 + 1)")
            states.append(try store.states())
        }
        #expect(try store.loggedKeys("Tag", since: states[199]) == [2])
        #expect(try store.loggedKeys("Tag", since: states[150]) == [1, 2, 3])
        #expect(try store.reason(since: states[100])?.contains("does not reach back") == true)
        let numbers = store.run(
            "SELECT count(*) FROM sc_log UNION ALL SELECT count(*) FROM sc_epoch JOIN sc_gen ON id = gen WHERE tbl = 'Tag'"
        ).split(separator: "\n").compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers.allSatisfy { (50...96).contains($0) }, "\(numbers)")
    }

    @Test func `changes beyond the last thirty-two thousand rows are unknown`() throws {
        var states = [try store.states()]
        for _ in 0..<12 {
            insert(4_000)
            states.append(try store.states())
        }
        #expect(try store.loggedKeys("Tag", since: states[6])?.count == 24_000)
        #expect(try store.reason(since: states[1])?.contains("does not reach back") == true)
        let count = try #require(store.numberOfLoggedTags())
        #expect((28_000...36_864).contains(count))
    }

    @Test func `changes since a stamp of another copy of the file are unknown`() throws {
        _ = try store.states()
        let copy = store.directory.file("copy.sqlite").path
        store.run("PRAGMA wal_checkpoint(TRUNCATE)")
        try FileManager.default.copyItem(atPath: store.url.path, toPath: copy)
        let copied = try LoggedStore.Reopened(url: URL(filePath: copy))
        let common = try copied.states()
        store.run("UPDATE Tag SET name = 'one' WHERE objectID = 1")
        let one = try store.states()
        copied.run("UPDATE Tag SET name = 'other' WHERE objectID = 2")
        let other = try copied.states()
        #expect(
            one.first { $0.tableName == "Tag" }?.state.prefix(8)
                == other.first { $0.tableName == "Tag" }?.state.prefix(8))
        let reason = try #require(try copied.reason(since: one))
        #expect(reason.contains("“Tag” never had that state"))
        #expect(try copied.loggedKeys("Tag", since: common) == [2])
        // Further stamps do not make the other copy's stamp one of this file.
        copied.run("UPDATE Tag SET name = 'more' WHERE objectID = 3")
        _ = try copied.states()
        #expect(try copied.reason(since: one) != nil)
        #expect(try copied.loggedKeys("Tag", since: common) == [2, 3])
        #expect(try copied.reason(since: store.states()) != nil)
    }

    @Test func `changes since a stamp that a restored backup does not have are unknown`() throws {
        let (file, backup) = (store.url.path, store.directory.file("backup.sqlite").path)
        store.run(".backup '\(backup)'")
        store.run("UPDATE Tag SET name = 'lost' WHERE objectID = 1")
        let lost = try store.states()
        try Library.runElsewhere(".restore '\(backup)'", path: file)
        #expect(try store.reason(since: lost)?.contains("never had that state") == true)
        store.run("UPDATE Tag SET name = 'kept' WHERE objectID = 2")
        #expect(try store.reason(since: lost) != nil)
        _ = try store.states()
        #expect(try store.reason(since: lost) != nil)
        let mended = try store.states().filter { $0.tableName == "Tag" }
        store.run("UPDATE Tag SET name = 'more' WHERE objectID = 3")
        #expect(try store.loggedKeys("Tag", since: mended) == [3])
    }

    @Test(arguments: [
        "ALTER TABLE Tag ADD COLUMN more DEFAULT 3", "DROP TRIGGER sc_Tag_update; UPDATE Tag SET name = 'x'",
        "CREATE UNIQUE INDEX owner ON Tag (name); REPLACE INTO Tag (name) VALUES ('old'); DROP INDEX owner",
        "VACUUM", "CREATE TABLE unrelated (a); UPDATE Tag SET name = 'x' WHERE objectID = 1",
        "DROP TRIGGER sc_Tag_delete; DELETE FROM Tag; CREATE TRIGGER sc_Tag_delete AFTER DELETE ON Tag BEGIN SELECT 1; END",
    ])
    func `changes before a change of the schema are unknown`(sql: String) throws {
        let before = try store.states()
        store.run(sql)
        #expect(try store.reason(since: before) != nil)
        _ = try store.states()
        #expect(try store.reason(since: before) != nil)
        store.run("UPDATE Tag SET name = 'once' WHERE objectID = 1")
        let after = try store.states().filter { $0.tableName == "Tag" }
        store.run(
            "UPDATE Tag SET name = 'again' WHERE objectID = 1; INSERT INTO Tag (name) VALUES ('again too')")
        let keys = try #require(try store.loggedKeys("Tag", since: after))
        #expect(!keys.isEmpty)
    }

    @Test(arguments: [
        "CREATE TABLE unrelated (a)", "CREATE TABLE passing (a); DROP TABLE passing", "ANALYZE",
    ])
    func `an unrelated change of the schema leaves the log and the stamps unchanged`(sql: String) throws {
        let before = try store.states().filter { $0.tableName == "Tag" }
        store.run(sql)
        #expect(try store.loggedKeys("Tag", since: before) == [])
        #expect(try store.states().filter { $0.tableName == "Tag" } == before)
    }

    @Test func `changes under a new unique index are logged once the triggers cover it`() throws {
        _ = try store.states()
        store.run("CREATE UNIQUE INDEX owner ON Tag (name COLLATE NOCASE)")
        #expect(try store.container.state(of: ["Tag"]).tables.isEmpty)
        let before = try store.states().filter { $0.tableName == "Tag" }
        store.run("REPLACE INTO Tag (name) VALUES ('OLD')")
        #expect(try store.loggedKeys("Tag", since: before) == [1, 4])
        store.run("DROP INDEX owner; CREATE UNIQUE INDEX owner ON Tag (lower(name))")
        let uncovered = try store.states().filter { $0.tableName == "Tag" }
        store.run("REPLACE INTO Tag (name) VALUES ('NEW')")
        #expect(try store.reason(since: uncovered)?.contains("unique index") == true)
        #expect(try store.states().filter { $0.tableName == "Tag" } != uncovered)
    }

    @Test func `a write that is expected to exceed the log's capacity logs nothing`() throws {
        let before = try store.states()
        let context = store.container.newContext()
        for number in 0..<4_095 { try context.insert(entityNamed: "Tag")["name"] = .text("\(number)") }
        try context.save()
        #expect(try store.loggedKeys("Tag", since: before)?.count == 4_095)
        for number in 0..<4_096 { try context.insert(entityNamed: "Tag")["name"] = .text("\(number)") }
        try context.save()
        #expect(try store.reason(since: before) != nil)
        #expect(store.numberOfLoggedTags() == 0)
        let after = try store.states()
        let rows = (0..<4_096).map { ["name": .text("\($0)")] as [String: StoredValue] }
        try context.batchInsert(ManagedObject.self, entityName: "Tag", rows: rows.prefix(150))
        #expect(try store.loggedKeys("Tag", since: after)?.count == 150)
        try context.batchInsert(ManagedObject.self, entityName: "Tag", rows: rows)
        #expect(try store.reason(since: after) != nil)
        #expect(store.numberOfLoggedTags() == 0)
    }

    @Test func `a batch that finds nearly all rows unchanged stays in the log`() throws {
        insert(3_000)
        let before = try store.states()
        try store.container.write { writer in
            let table = try writer.table("Tag", expectedRows: 3_000)
            for number in 1...3_000 {
                _ = try table.upsert([.text(number % 30 == 0 ? "y\(number)" : "x\(number)")], keyColumn: 0)
            }
        }
        #expect(try store.loggedKeys("Tag", since: before) == Array(3_004...3_103))
    }
}

extension LoggedStore {
    /// A store file that is opened with the model it contains.
    struct Reopened {
        let url: URL
        let container: PersistentContainer

        init(url: URL, _ options: StoreOptions = StoreOptions()) throws {
            self.url = url
            container = try PersistentContainer(url: url, options: options)
        }

        func run(_ sql: String) { _ = try? Library.output(of: sql, path: url.path) }

        func states() throws -> [StoreState.Table] {
            let names = ["Artist", "Song", "Tag"]
            try container.repairTracking(of: names)
            return try container.state(of: names).tables
        }

        func loggedKeys(_ name: String, since earlier: [StoreState.Table]) throws -> [Int64]? {
            guard case .known(let changes) = try container.rowChanges(since: earlier) else { return nil }
            return changes.first { $0.tableName == name }?.keys ?? []
        }

        func reason(since earlier: [StoreState.Table]) throws -> String? {
            if case .unknown(let reason) = try container.rowChanges(since: earlier) { reason } else { nil }
        }
    }
}
