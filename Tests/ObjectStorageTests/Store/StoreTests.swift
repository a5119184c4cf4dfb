import CheckSupport
import Foundation
import ObjectStorage
import Testing

@Suite struct StoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func code(opening url: URL, model: ManagedObjectModel? = nil) -> ObjectStorageError.Code? {
        do {
            _ = try PersistentContainer(url: url, model: model, options: StoreOptions(busyTimeout: 0.05))
            return nil
        } catch {
            #expect(!error.message.isEmpty)
            return error.code
        }
    }

    @Test func `without a model, a missing file is an error and is not created`() throws {
        let url = directory.file("none.sqlite")
        #expect(code(opening: url) == .storeMissing)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `a directory is not a store`() throws {
        #expect(code(opening: directory.url, model: try Library.model()) == .storeIsDirectory)
    }

    @Test func `a text file is not a store`() throws {
        let url = directory.file("notes.txt")
        try Data(repeating: 65, count: 5_000).write(to: url)
        #expect(code(opening: url, model: try Library.model()) == .notADatabase)
        #expect(try Data(contentsOf: url) == Data(repeating: 65, count: 5_000))
    }

    @Test func `a save is refused if the file is no longer at its path`() throws {
        let url = directory.file("library.sqlite")
        let moved = directory.file("moved.sqlite")
        let context = try PersistentContainer(url: url, model: Library.model()).newContext()
        Shelf(context: context).label = "first"
        try context.save()
        #expect(rename(url.path, moved.path) == 0)
        Shelf(context: context).label = "second"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .storeReplaced)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        // The changes are still unsaved and can be saved once the file is back.
        #expect(rename(moved.path, url.path) == 0)
        try context.save()
        #expect(try Library.output(of: "SELECT label FROM Shelf", path: url.path) == "first\nsecond\n")
    }

    @Test func `a file that replaced the one that is read is not written to`() throws {
        let url = directory.file("library.sqlite")
        let backup = directory.file("backup.sqlite")
        do {
            let context = try PersistentContainer(url: url, model: Library.model()).newContext()
            Shelf(context: context).label = "first"
            try context.save()
        }
        try FileManager.default.copyItem(at: url, to: backup)
        // The file has everything that the model needs, so only connections for reading are opened.
        let container = try PersistentContainer(url: url, model: Library.model())
        #expect(rename(backup.path, url.path) == 0)
        for suffix in ["-wal", "-shm"] { unlink(url.path + suffix) }
        let context = container.newContext()
        Shelf(context: context).label = "second"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .storeReplaced)
        #expect(try Library.output(of: "SELECT label FROM Shelf", path: url.path) == "first\n")
        // A missing file is not created either.
        let other = try PersistentContainer(url: url, model: Library.model()).newContext()
        try FileManager.default.removeItem(at: url)
        _ = Shelf(context: other)
        #expect(throws: ObjectStorageError.self) { try other.save() }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test(arguments: ["", "PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t"])
    func `an empty database is not a store and becomes one`(statements: String) throws {
        let url = directory.file("empty.sqlite")
        try Data().write(to: url)
        try Library.runElsewhere(statements, path: url.path)
        #expect(code(opening: url) == .storeMissing)
        #expect(code(opening: url, model: try Library.model()) == nil)
        #expect(code(opening: url) == nil)
    }

    @Test func `an entity with more attributes than a table has columns is refused`() throws {
        func entity(count: Int) -> EntityDescription {
            EntityDescription(
                name: "Wide",
                attributes: (1...count).map { AttributeDescription(name: "a\($0)", type: .string) })
        }
        let url = directory.file("wide.sqlite")
        #expect(code(opening: url, model: try ManagedObjectModel(entities: [entity(count: 1_999)])) == nil)
        #expect {
            try ManagedObjectModel(entities: [entity(count: 2_000)])
        } throws: { error in
            (error as? ObjectStorageError)?.code == .invalidModel
                && "\(error)".contains("“Wide” has 2000 attributes")
        }
    }

    @Test func `another application's database is refused and unchanged`() throws {
        let url = directory.file("other.sqlite")
        try Library.runElsewhere("CREATE TABLE t (a); INSERT INTO t VALUES (1)", path: url.path)
        let before = try Data(contentsOf: url)
        #expect(code(opening: url) == .foreignStore)
        #expect(code(opening: url, model: try Library.model()) == .foreignStore)
        try Library.runElsewhere("PRAGMA journal_mode = DELETE", path: url.path)
        #expect(try Data(contentsOf: url).count == before.count)
    }

    @Test func `a store opens again with its model, without a model, and with a part of its model`() throws {
        let url = directory.file("library.sqlite")
        try withExtendedLifetime(PersistentContainer(url: url, model: Library.model())) { container in
            let context = container.newContext()
            Work(context: context).title = "kept"
            try context.save()
        }
        let untyped = try PersistentContainer(url: url)
        let work = try #require(
            try untyped.newContext().fetch(FetchRequest<ManagedObject>(entityName: "Work")).first)
        #expect(work["title"] == "kept")
        let part = try PersistentContainer(url: url, model: ManagedObjectModel(types: Shelf.self))
        #expect(try part.newContext().count(for: FetchRequest<Shelf>()) == 0)
        #expect(try PersistentContainer(url: url).model.entities.count == 3)
    }

    @Test func `a changed attribute type is a model mismatch`() throws {
        let url = directory.file("library.sqlite")
        _ = try PersistentContainer(url: url, model: Library.model())
        let changed = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Shelf", attributes: [AttributeDescription(name: "label", type: .integer16)])
        ])
        #expect(code(opening: url, model: changed) == .modelMismatch)
    }

    @Test func `a locked store is a typed error`() throws {
        let url = directory.file("library.sqlite")
        let container = try PersistentContainer(
            url: url, model: Library.model(), options: StoreOptions(busyTimeout: 0.05))
        let other = try PersistentContainer(url: url)
        let context = container.newContext()
        _ = Work(context: context)
        try other.write { writer in
            _ = try writer.table("Shelf").insert([.text("top")])
            let error = #expect(throws: ObjectStorageError.self) { try context.save() }
            #expect(error?.code == .storeLocked)
        }
        try context.save()
    }

    @Test(.timeLimit(.minutes(30)))
    func `stamping does not wait for another program's write, regardless of the busy timeout`() throws {
        let url = directory.file("library.sqlite")
        let container = try PersistentContainer(
            url: url, model: Library.model(), options: StoreOptions(busyTimeout: 600))
        let other = try PersistentContainer(url: url)
        try other.write { writer in
            _ = try writer.table("Shelf").insert([.text("top")])
            let error = #expect(throws: ObjectStorageError.self) {
                try container.repairTracking(of: ["Shelf"])
            }
            #expect(error?.code == .storeLocked)
        }
        try container.repairTracking(of: ["Shelf"])
    }

    @Test func `a batch is written completely or not at all`() throws {
        let url = directory.file("library.sqlite")
        let container = try PersistentContainer(url: url, model: Library.model())
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try container.write { writer in
                _ = try writer.table("Shelf").insert([.text("a")])
                throw Stop()
            }
        }
        #expect(try container.newContext().count(for: FetchRequest<Shelf>()) == 0)
        let outcomes = try container.write { writer in
            let table = try writer.table("Shelf")
            return try ["a", "b", "a"].map { try table.upsert([.text($0)], keyColumn: 0).outcome }
        }
        #expect(outcomes == [.inserted, .inserted, .unchanged])
    }

    @Test(arguments: [
        ("", "1 to 128"), ("sc_gen", "reserved"), ("a.b", "full stop"), ("sqlite_x", "reserved"),
    ])
    func `an invalid entity name is refused`(name: String, reason: String) throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try ManagedObjectModel(entities: [EntityDescription(name: name, attributes: [])])
        }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains(reason) == true)
    }

    @Test(arguments: ["'", "\"", "`"])
    func `a quote with a combining mark is quoted`(quote: String) throws {
        let name = "a\(quote)\u{301}, evil, \(quote)\u{301}z"
        let text = "don\(quote)\u{301}t"
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: name,
                attributes: [
                    AttributeDescription(
                        name: name, type: .string, isIndexed: true, defaultValue: .text(text))
                ])
        ])
        let url = directory.file("marks.sqlite")
        let container = try PersistentContainer(url: url, model: model)
        let context = container.newContext()
        let object = try context.insert(entityNamed: name)
        try context.save()
        #expect(object[name] == .text(text))
        // The shell finds a table of exactly this name.
        let tables = try Library.output(
            of: "SELECT hex(name) FROM sqlite_schema WHERE type = 'table'", path: url.path)
        #expect(tables.contains(name.utf8.map { String(format: "%02X", $0) }.joined()))
        let request = FetchRequest<ManagedObject>(
            entityName: name, predicate: .comparison(name, .equal, .text(text)))
        #expect(try container.newContext().count(for: request) == 1)
    }

    @Test func `names with any characters are quoted`() throws {
        let odd = "Robert\"); DROP TABLE students;--"
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: odd,
                attributes: [AttributeDescription(name: "select ' \" ü", type: .string, isIndexed: true)])
        ])
        let container = try PersistentContainer(url: directory.file("odd.sqlite"), model: model)
        let context = container.newContext()
        let object = try context.insert(entityNamed: odd)
        object["select ' \" ü"] = "x"
        try context.save()
        let request = FetchRequest<ManagedObject>(
            entityName: odd, predicate: .comparison("select ' \" ü", .equal, "x"))
        #expect(try context.fetch(request) == [object])
    }
}
