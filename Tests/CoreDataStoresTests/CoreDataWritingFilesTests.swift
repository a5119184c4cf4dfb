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

    @Test func `a row with large values is changed within the limits of a statement`() throws {
        let store = try copy(Writing.cars)
        try SampleStore.execute(
            "UPDATE ZCAR SET ZCOLOR = randomblob(800000), ZMODEL = replace(hex(zeroblob(100)), '0', 'ä')",
            in: store)
        var options = StoreOptions(limits: StoreLimits(valueByteCount: 1 << 20))
        options.coreDataWriting = .withoutCopy
        let context = try PersistentContainer(coreDataStore: store, options: options).newContext()
        let cars = Array(try Writing.objects("Car", context).prefix(2))
        for car in cars { car["maker"] = .text("new") }
        cars[1]["color"] = .blob([1, 2, 3])
        try context.save()
        let rows = "SELECT Z_OPT, ZMAKER, length(ZCOLOR) FROM ZCAR WHERE ZMAKER = 'new' ORDER BY 3"
        #expect(try Writing.rows(rows, in: store) == ["2 new 3", "2 new 800000"])
        // A value that is set to an equal one is no change, and a long text with another end is one.
        let model = try cars[0].value(forProperty: "model")
        guard case .text(let text) = model else { return #expect(Bool(false), "\(model)") }
        cars[0]["model"] = .text(text)
        try context.save()
        cars[1]["model"] = .text(text.dropLast() + "o")
        try context.save()
        #expect(try Writing.rows(rows, in: store) == ["3 new 3", "2 new 800000"])
    }

    /// Returns a container of the empty library without a history, with an album.
    private func library() throws -> (PersistentContainer, ManagedObjectContext, ManagedObject) {
        let store = try copy(Writing.photos)
        try SampleStore.execute(Writing.withoutHistory, in: store)
        let container = try Writing.open(store)
        let context = container.newContext()
        return (container, context, try Writing.insert("ProjectAlbum", in: context))
    }

    private var files: URL { directory.url.appending(path: ".Photos_SUPPORT/_EXTERNAL_DATA") }

    private func fileNames() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: files.path))
    }

    private static func bytes(_ byte: UInt8) -> StoredValue {
        .blob([UInt8](repeating: byte, count: 150_000))
    }

    @Test func `an object with a value in a file is changed in another attribute`() throws {
        let (container, context, album) = try library()
        album["projectData"] = Self.bytes(1)
        try context.save()
        let (other, names) = (container.newContext(), try fileNames())
        let same = try #require(try other.existingObject(with: album.objectID) as ManagedObject?)
        same["title"] = .text("new")
        try other.save()
        #expect(try same.value(forProperty: "projectData") == Self.bytes(1) && fileNames() == names)
        #expect(
            try Writing.rows("SELECT Z_OPT, ZTITLE FROM ZGENERICALBUM", in: directory.file("Photos.sqlite"))
                == ["2 new"])
    }

    @Test func `a replaced file that cannot be removed is removed after a later commit`() throws {
        let (_, context, album) = try library()
        album["projectData"] = Self.bytes(1)
        try context.save()
        let former = try fileNames()
        #expect(former.count == 1)
        // A file in the directory's place makes the removal fail.
        let moved = directory.file("moved")
        try FileManager.default.moveItem(at: files, to: moved)
        try Data().write(to: files)
        album["projectData"] = .blob([1])
        try context.save()
        try FileManager.default.removeItem(at: files)
        try FileManager.default.moveItem(at: moved, to: files)
        #expect(try fileNames() == former)
        album["title"] = .text("new")
        try context.save()
        #expect(try fileNames().isEmpty)
    }

    @Test func `a replaced value in a file returns by undo only while its bytes are known`() throws {
        let (container, context, album) = try library()
        album["projectData"] = Self.bytes(1)
        try context.save()
        let other = container.newContext()
        other.undoManager = ManagedObjectContext.UndoManager()
        let same = try #require(try other.existingObject(with: album.objectID) as ManagedObject?)
        same["projectData"] = Self.bytes(2)
        try other.save()
        let present = try fileNames()
        try other.undo()
        let error = #expect(throws: ObjectStorageError.self) { try other.save() }
        #expect(
            error?.code == .objectMissing && error?.message.contains("cannot be undone") == true,
            "\(error.debugDescription)")
        #expect(try fileNames() == present)
        other.rollback()
        other.refreshAllObjects()
        #expect(try same.value(forProperty: "projectData") == Self.bytes(2))
    }
}
