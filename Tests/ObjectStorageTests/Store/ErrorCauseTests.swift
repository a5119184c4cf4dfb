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
