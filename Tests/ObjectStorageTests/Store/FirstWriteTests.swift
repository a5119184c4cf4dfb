import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

/// The missing parts of a model are created with the first rows, or not at all.
@Suite struct FirstWriteTests {
    private struct Refusal: Error {}

    private let directory: TemporaryDirectory
    private var url: URL { directory.file("library.sqlite") }

    init() throws { directory = try TemporaryDirectory() }

    private func sql(_ statement: String) throws -> String {
        try Library.output(of: statement, path: url.path)
    }

    private func addShelf(_ writer: BatchWriter, _ label: String) throws {
        _ = try writer.table("Shelf").insert([.text(label)])
    }

    @Test func `a store is created with its rows, and other containers and programs can use it`() throws {
        let (container, key) = try PersistentContainer.open(url, model: Library.model()) { writer in
            try addShelf(writer, "first")
            let authors = try writer.table("Author")
            return try authors.insert(
                authors.columns.map { $0 == "name" ? .text("Woolf") : .null })
        }
        #expect(try sql("SELECT label FROM Shelf") == "first\n")
        #expect(try sql("SELECT name FROM Author WHERE objectID = \(key)") == "Woolf\n")
        #expect(try sql("PRAGMA journal_mode") == "wal\n")
        #expect(try sql("SELECT count(*) FROM sc_gen WHERE nonce IS NULL") == "0\n")
        let context = try PersistentContainer(url: url, model: Library.model()).newContext()
        #expect(try context.fetch(FetchRequest<Shelf>()).map(\.label) == ["first"])
        let own = container.newContext()
        #expect(try own.fetch(FetchRequest<Author>()).map(\.name) == ["Woolf"])
        Shelf(context: own).label = "own"
        try own.save()
        // A complete store is written like any other.
        try PersistentContainer.open(url, model: Library.model()) { try addShelf($0, "second") }
        #expect(try sql("SELECT label FROM Shelf ORDER BY objectID") == "first\nown\nsecond\n")
    }

    @Test func `an error is rethrown and leaves neither a store nor a file`() throws {
        #expect(throws: Refusal.self) {
            try PersistentContainer.open(url, model: Library.model()) { writer in
                try addShelf(writer, "first")
                throw Refusal()
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test func `a failure leaves a dangling link dangling and an empty file empty`() throws {
        let target = directory.file("target.sqlite")
        try FileManager.default.createSymbolicLink(at: url, withDestinationURL: target)
        func fail() throws {
            try PersistentContainer.open(url, model: Library.model()) { writer in
                try addShelf(writer, "first")
                throw Refusal()
            }
        }
        #expect(throws: Refusal.self) { try fail() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["library.sqlite"])
        try Data().write(to: target)
        #expect(throws: Refusal.self) { try fail() }
        #expect(try Data(contentsOf: target).isEmpty)
        try PersistentContainer.open(url, model: Library.model()) { try addShelf($0, "first") }
        #expect(try Library.output(of: "SELECT label FROM Shelf", path: target.path) == "first\n")
    }

    @Test func `a store that is replaced before its first commit is not written`() throws {
        let other = directory.file("other.sqlite")
        try Data("other".utf8).write(to: other)
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer.open(url, model: Library.model()) { writer in
                try addShelf(writer, "first")
                #expect(rename(other.path, url.path) == 0)
            }
        }
        #expect(error?.code == .storeReplaced)
        #expect(try Data(contentsOf: url) == Data("other".utf8))
    }

    @Test func `a failure keeps a file that another program has opened by then`() throws {
        var other: DatabaseQueue?
        #expect(throws: Refusal.self) {
            try PersistentContainer.open(url, model: Library.model()) { _ in
                other = try DatabaseQueue(path: url.path)
                let tables = try other?.read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema")
                }
                #expect(tables == 0)
                throw Refusal()
            }
        }
        let queue = try #require(other)
        try queue.write { try $0.execute(sql: "CREATE TABLE note (text)") }
        #expect(try sql(".tables") == "note\n")
    }

    @Test func `a store keeps its entities, rows and versions when the first write fails`() throws {
        let small = try ManagedObjectModel(types: Shelf.self)
        try PersistentContainer.open(url, model: small) { try addShelf($0, "first") }
        let before = try sql(".dump")
        let migrated = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Shelf",
                attributes: [
                    AttributeDescription(name: "label", type: .string),
                    AttributeDescription(name: "room", type: .string, isOptional: true, isIndexed: true),
                ]),
            EntityDescription(
                name: "Room", attributes: [AttributeDescription(name: "name", type: .string)]),
        ])
        #expect(throws: Refusal.self) {
            try PersistentContainer.open(url, model: migrated) { writer in
                #expect(try writer.table("Shelf").columns == ["label", "room"])
                _ = try writer.table("Shelf").insert([.text("second"), .text("hall")])
                throw Refusal()
            }
        }
        #expect(try sql(".dump") == before)
        try PersistentContainer.open(url, model: migrated) { writer in
            _ = try writer.table("Shelf").insert([.text("second"), .text("hall")])
        }
        #expect(try sql("SELECT label, room FROM Shelf ORDER BY objectID") == "first|\nsecond|hall\n")
    }

    @Test func `a row that refers to a missing row is refused and leaves no file`() throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer.open(url, model: Library.model()) { writer in
                let works = try writer.table("Work")
                let values = zip(
                    works.columns, works.entity.storedAttributes.map(\.defaultValue) + [.integer(7)])
                _ = try works.insert(values.map(\.1))
            }
        }
        #expect(
            error?.code == .conflict && error?.message.contains("Work") == true,
            "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `a file that is not a store is refused as on opening, and is unchanged`() throws {
        try Data(repeating: 65, count: 5_000).write(to: url)
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer.open(url, model: Library.model()) { _ in }
        }
        #expect(error?.code == .notADatabase && error?.message.contains(url.path) == true)
        #expect(try Data(contentsOf: url).count == 5_000)
        let readOnly = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer.open(
                directory.file("none"), model: Library.model(), options: StoreOptions(isReadOnly: true)
            ) { _ in }
        }
        #expect(readOnly?.code == .storeMissing)
    }
}
