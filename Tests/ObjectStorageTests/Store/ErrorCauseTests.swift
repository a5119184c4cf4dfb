import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The cause that an error keeps, and the choice of errors by code.
@Suite struct ErrorCauseTests {
    let library: Library

    init() throws { library = try Library() }

    /// The error of a save that a trigger of another program refuses.
    private func refusedSave() throws -> ObjectStorageError {
        try library.runElsewhere(
            "CREATE TRIGGER refuse BEFORE INSERT ON Shelf BEGIN SELECT RAISE(ABORT, 'no more shelves'); END")
        let context = library.container.newContext()
        _ = Shelf(context: context)
        return try #require(throws: ObjectStorageError.self) { try context.save() }
    }

    @Test func `an error of SQLite keeps its result code, its message and the statement`() throws {
        let cause = try #require(try refusedSave().underlying)
        // SQLITE_CONSTRAINT_TRIGGER. Source: sqlite.org/rescode.html.
        #expect(cause.resultCode == 1_811)
        #expect(cause.primaryResultCode == 19)
        #expect(cause.message?.contains("no more shelves") == true)
    }

    @Test func `an error of a batch insert keeps the cause, and names the row`() throws {
        try library.runElsewhere(
            "CREATE TRIGGER refuse BEFORE INSERT ON Shelf BEGIN SELECT RAISE(ABORT, 'no more shelves'); END")
        let context = library.container.newContext()
        let error = try #require(throws: ObjectStorageError.self) {
            try context.batchInsert(Shelf.self, rows: [["label": .text("a")]])
        }
        #expect(error.message.hasPrefix("Row 1: "))
        #expect(error.entityName == "Shelf")
        #expect(error.underlying?.resultCode == 1_811)
    }

    @Test func `an error of opening keeps the cause beside the path of the store`() throws {
        let url = library.directory.file("notes.txt")
        try Data(repeating: 65, count: 5_000).write(to: url)
        let error = try #require(throws: ObjectStorageError.self) { try PersistentContainer(url: url) }
        #expect(error.code == .notADatabase)
        #expect(error.message.contains(url.path))
        #expect(error.underlying?.primaryResultCode == 26)
    }

    @Test func `a locked store keeps SQLite's code`() throws {
        let options = StoreOptions(busyTimeout: 0.05)
        let url = library.directory.file("library.sqlite")
        let writer = try PersistentContainer(url: url, model: Library.model())
        let other = try PersistentContainer(url: url, model: Library.model(), options: options).newContext()
        _ = Shelf(context: other)
        try writer.write { _ in
            let error = try #require(throws: ObjectStorageError.self) { try other.save() }
            #expect(error.code == .storeLocked)
            #expect(error.underlying?.primaryResultCode == 5)
        }
    }

    @Test func `an error that SQLite did not cause has no underlying failure`() throws {
        let url = library.directory.file("none.sqlite")
        let error = try #require(throws: ObjectStorageError.self) { try PersistentContainer(url: url) }
        #expect(error.code == .storeMissing)
        #expect(error.underlying == nil)
    }

    @Test func `a catch clause chooses errors by their code`() throws {
        let url = library.directory.file("none.sqlite")
        func outcome(_ body: () throws -> Void) -> String {
            do {
                try body()
                return "none"
            } catch ObjectStorageError.Code.storeIsDirectory {
                return "directory"
            } catch ObjectStorageError.Code.storeMissing {
                return "missing"
            } catch {
                return "other"
            }
        }
        #expect(outcome { _ = try PersistentContainer(url: url) } == "missing")
        #expect(outcome { _ = try PersistentContainer(url: library.directory.url) } == "directory")
        #expect(outcome { throw CocoaError(.fileNoSuchFile) } == "other")
        #expect(outcome {} == "none")
    }
}
