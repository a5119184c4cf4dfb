import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Stores of untrusted origin are read or refused, and never changed.
@Suite struct UntrustedStoreTests {
    let directory: TemporaryDirectory
    let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("library.sqlite")
        let container = try PersistentContainer(url: url, model: Library.model())
        let context = container.newContext()
        for number in 0..<40 {
            let work = Work(context: context)
            work.title = "Work \(number)"
        }
        try context.save()
    }

    private func open() throws(ObjectStorageError) -> PersistentContainer {
        try PersistentContainer(url: url, options: StoreOptions(busyTimeout: 0.1, isUntrusted: true))
    }

    private func code() -> ObjectStorageError.Code? {
        do {
            _ = try open()
            return nil
        } catch {
            return error.code
        }
    }

    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
            files[name] = try Data(contentsOf: directory.file(name))
        }
        return files
    }

    @Test func `an untrusted store is read and never written, even if the file is writable`() throws {
        let before = try files()
        do {
            let container = try open()
            #expect(container.isReadOnly)
            let context = container.newContext()
            let request = FetchRequest<ManagedObject>(
                entityName: "Work", sortDescriptors: [.ascending("title")])
            #expect(try context.fetch(request).count == 40)
            #expect(throws: ObjectStorageError.self) {
                try container.write { _ = try $0.table("Shelf").insert([.text("new")]) }
            }
            #expect(throws: ObjectStorageError.self) { try container.repairTracking(of: ["Work"]) }
        }
        #expect(try files() == before)
    }

    @Test(
        arguments: [
            "ALTER TABLE Work RENAME TO Other; CREATE VIEW Work AS SELECT * FROM Other",
            "ALTER TABLE sc_gen RENAME TO Other; CREATE VIEW sc_gen AS SELECT * FROM Other",
            "DROP TABLE Shelf; CREATE VIEW Shelf AS SELECT 1 AS objectID, 'x' AS label",
            "DROP TABLE Shelf; CREATE VIRTUAL TABLE Shelf USING rtree(objectID, low, high)",
        ])
    func `a view or virtual table instead of a table is refused`(sql: String) throws {
        try Library.runElsewhere(sql, path: url.path)
        #expect(code() == .foreignStore)
    }

    @Test func `a damaged page is detected before anything is read, at any position`() throws {
        let sound = try Data(contentsOf: url)
        for page in 1..<sound.count / 4_096 {
            var bytes = sound
            // The type of a B-tree page; no page in use has this one.
            bytes[page * 4_096] = 7
            try bytes.write(to: url)
            #expect(code() == .notADatabase, "page \(page)")
            #expect(try Data(contentsOf: url) == bytes)
        }
    }

    @Test func `a store whose UUID or key has a wrong length has no version stamps`() throws {
        #expect(try isStamped())
        try Library.runElsewhere("UPDATE sc_store SET uuid = x'0102'", path: url.path)
        #expect(try !isStamped())
        try Library.runElsewhere(
            "UPDATE sc_store SET uuid = zeroblob(16), mackey = x'03'", path: url.path)
        #expect(try !isStamped())
        try Library.runElsewhere("UPDATE sc_store SET mackey = zeroblob(32)", path: url.path)
        #expect(try isStamped())
    }

    private func isStamped() throws -> Bool {
        if case .stamped = try open().state(of: ["Work"]) { true } else { false }
    }

    @Test func `a stamp table with other columns does not crash`() throws {
        try Library.runElsewhere(
            "DROP TABLE sc_gen; CREATE TABLE sc_gen (id INTEGER PRIMARY KEY, tbl TEXT); INSERT INTO sc_gen VALUES (1, 'Work')",
            path: url.path)
        do {
            _ = try open().state(of: ["Work"])
        } catch {
            #expect(error.code == .database)
        }
    }

    @Test func `the largest sequence number of a stamp is followed by another`() throws {
        try Library.runElsewhere(
            "UPDATE sc_gen SET seq = 9223372036854775807, nonce = NULL, room = 1, capacity = -9223372036854775808",
            path: url.path)
        let container = try PersistentContainer(url: url)
        try container.repairTracking(of: ["Work"])
        guard case .stamped = try container.state(of: ["Work"]) else {
            Issue.record("It was not stamped.")
            return
        }
    }
}
