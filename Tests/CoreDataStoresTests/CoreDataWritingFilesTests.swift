import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// The copy of a Core Data store before the first save, and large values in rows and in files.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataWritingFilesTests {
    private typealias Writing = CoreDataWritingTests
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ path: String) throws -> URL { try SampleStore.copy(path, to: directory) }

    /// The names of the copies and of the files beside them.
    private func copies() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            .filter { $0.contains(" copy ") }.sorted()
    }

    @Test func `a refused save leaves no copy`() throws {
        let store = try copy(Writing.cars)
        try SampleStore.execute("ALTER TABLE ZCAR ADD COLUMN ZNEW", in: store)
        let container = try Writing.open(store, .withCopy)
        let context = container.newContext()
        let new = try context.insert(entityNamed: "Car")
        new["numberPlate"] = .text("plate")
        let refusal = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(refusal?.code == .existingTableMismatch)
        #expect(try copies() == [] && container.coreDataStoreCopyURL == nil)
        context.delete(new)
        let car = try Writing.objects("Car", context)[0]
        car["maker"] = .text("new")
        try SampleStore.execute("ALTER TABLE ZCAR ADD COLUMN ZNEWER", in: store)
        let mismatch = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(mismatch?.code == .modelMismatch)
        #expect(try copies() == [] && container.coreDataStoreCopyURL == nil)
        // The copy has the state before the first save that succeeds.
        let second = try Writing.open(store, .withCopy)
        let other = second.newContext()
        try SampleStore.execute("UPDATE ZCAR SET ZMAKER = 'elsewhere' WHERE Z_PK = 7", in: store)
        try Writing.objects("Car", other)[0].setValue(.text("new"), forProperty: "maker")
        try other.save()
        let url = try #require(second.coreDataStoreCopyURL)
        #expect(try copies() == [url.lastPathComponent])
        let makers = "SELECT ZMAKER FROM ZCAR WHERE ZMAKER IN ('new', 'elsewhere')"
        #expect(try Writing.rows(makers, in: url) == ["elsewhere"])
    }

    @Test func `a copy that fails leaves no file, and nothing is saved`() throws {
        let store = try copy(Writing.bookmarks)
        let files = directory.url.appending(path: ".Bookmarks_V5_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try Data("large".utf8).write(to: files.appending(path: "file"))
        let link = files.appending(path: "link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "missing")
        let container = try Writing.open(store, .withCopy)
        let context = container.newContext()
        let bookmark = try Writing.objects("BookmarkEntity", context)[0]
        bookmark["title"] = .text("first")
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .storeReadOnly && error?.message.contains("cannot be copied") == true)
        #expect(try copies() == [] && container.coreDataStoreCopyURL == nil)
        #expect(
            try Writing.rows("SELECT count(*) FROM ZBOOKMARKENTITY WHERE ZTITLE = 'first'", in: store)
                == ["0"])
        try FileManager.default.removeItem(at: link)
        try context.save()
        #expect(try copies().count == 2 && container.coreDataStoreCopyURL != nil)
    }
}
