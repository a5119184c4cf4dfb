import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// Refusals, copies, files of large values, and ends of the process while objects of Core Data stores are
/// saved.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataWritingSafetyTests {
    private typealias Writing = CoreDataWritingTests
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ path: String) throws -> URL { try SampleStore.copy(path, to: directory) }

    /// Runs a closure while another process has a connection to a store.
    private func whileOpenElsewhere(_ store: URL, _ body: () throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Python.path))
        process.arguments = [
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('select * from Z_METADATA').fetchall(); print('open', flush=True); sys.stdin.read()",
            store.path,
        ]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(text.hasPrefix("open"))
        try body()
    }

    @Test func `a store that another process has open is refused`() throws {
        let store = try copy(Writing.cars)
        try whileOpenElsewhere(store) {
            let error = #expect(throws: ObjectStorageError.self) { try Writing.open(store) }
            #expect(error?.code == .storeInUse && error?.message.contains("Quit") == true)
            // Reading is possible.
            let container = try PersistentContainer(coreDataStore: store)
            #expect(try Writing.objects("Car", container.newContext()).count == 125)
        }
        let context = try Writing.open(store).newContext()
        // A connection of this process does not count.
        let reader = try PersistentContainer(coreDataStore: store).newContext()
        #expect(try Writing.objects("Car", reader).count == 125)
        let car = try Writing.objects("Car", context)[0]
        car["maker"] = .text("new")
        try whileOpenElsewhere(store) {
            let error = #expect(throws: ObjectStorageError.self) { try context.save() }
            #expect(error?.code == .storeInUse)
        }
        try context.save()
    }

    @Test func `a store whose model changed is refused`() throws {
        let store = try copy(Writing.cars)
        let context = try Writing.open(store).newContext()
        let car = try Writing.objects("Car", context)[0]
        car["maker"] = .text("new")
        _ = try Python.output(
            of: """
                import sqlite3, sys, plistlib
                c = sqlite3.connect(sys.argv[1])
                p = plistlib.loads(c.execute('select Z_PLIST from Z_METADATA').fetchone()[0])
                p['NSStoreModelVersionHashes']['Car'] = bytes(32)
                c.execute('update Z_METADATA set Z_PLIST = ?', (plistlib.dumps(p, fmt=plistlib.FMT_BINARY),))
                c.commit()
                """, [store.path])
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .modelMismatch)
        #expect(try Writing.rows("SELECT count(*) FROM ZCAR WHERE ZMAKER = 'new'", in: store) == ["0"])
        let other = try Writing.open(store).newContext()
        try Writing.objects("Car", other)[0].setValue(.text("new"), forProperty: "maker")
        // Another property of the metadata is no change of the model, but a new column is.
        _ = try Python.output(
            of: """
                import sqlite3, sys, plistlib
                c = sqlite3.connect(sys.argv[1])
                p = plistlib.loads(c.execute('select Z_PLIST from Z_METADATA').fetchone()[0])
                p['own'] = 'x'
                c.execute('update Z_METADATA set Z_PLIST = ?', (plistlib.dumps(p, fmt=plistlib.FMT_BINARY),))
                c.commit()
                """, [store.path])
        try other.save()
        try SampleStore.execute("ALTER TABLE ZCAR ADD COLUMN ZNEW", in: store)
        try Writing.objects("Car", other)[0].setValue(.text("newer"), forProperty: "maker")
        let second = #expect(throws: ObjectStorageError.self) { try other.save() }
        #expect(second?.code == .modelMismatch)
        // No property explains the column, so a new row could lack its value.
        let third = try Writing.open(store).newContext()
        let new = try third.insert(entityNamed: "Car")
        new["numberPlate"] = .text("plate")
        let refusal = #expect(throws: ObjectStorageError.self) { try third.save() }
        #expect(refusal?.code == .existingTableMismatch && refusal?.message.contains("ZNEW") == true)
        third.delete(new)
        try Writing.objects("Car", third)[0].setValue(.text("newer"), forProperty: "maker")
        try third.save()
    }

    @Test func `a copy is made before the first save`() throws {
        let store = try copy(Writing.bookmarks)
        let files = directory.url.appending(path: ".Bookmarks_V5_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try Data("large".utf8).write(to: files.appending(path: "file"))
        let rows = "SELECT * FROM ZBOOKMARKENTITY"
        let before = try Writing.rows(rows, in: store)
        let container = try Writing.open(store, .withCopy)
        let context = container.newContext()
        let bookmark = try Writing.objects("BookmarkEntity", context)[0]
        #expect(container.coreDataStoreCopyURL == nil)
        for title in ["first", "second"] {
            bookmark["title"] = .text(title)
            try context.save()
        }
        let copy = try #require(container.coreDataStoreCopyURL)
        #expect(copy.lastPathComponent.hasPrefix("Bookmarks_V5 copy 20") && copy.pathExtension == "sqlite")
        #expect(try Writing.rows(rows, in: copy) == before && before != Writing.rows(rows, in: store))
        let name = copy.deletingPathExtension().lastPathComponent
        let large = directory.url.appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA/file")
        #expect(try Data(contentsOf: large) == Data("large".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        #expect(names.count { $0.contains(" copy ") && $0.hasSuffix(".sqlite") } == 1)
        let other = try Writing.open(store, .withoutCopy)
        #expect(other.coreDataStoreCopyURL == nil)
    }

    @Test func `the history lists the changes and the author`() throws {
        let store = try copy(Writing.books)
        let context = try Writing.open(store, CoreDataWriting(makesCopy: false, author: "importer"))
            .newContext()
        let feedback = try context.insert(entityNamed: "Feedback")
        feedback["bookID"] = .blob([UInt8](repeating: 7, count: 16))
        feedback["authorAlias"] = .text("a")
        feedback["rating"] = .real(5)
        let other = try Writing.objects("Feedback", context)
        other[0]["comment"] = .text("changed")
        let (changed, deleted) = (other[0].objectID.primaryKey ?? 0, other[1].objectID.primaryKey ?? 0)
        context.delete(other[1])
        try context.save()
        let changes =
            "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS IS NULL FROM ACHANGE WHERE Z_PK > 126"
        #expect(
            try Writing.rows(changes, in: store)
                == ["0 3 4 2 1", "1 3 \(changed) 2 1", "2 3 \(deleted) 2 1"])
        let author =
            "SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS WHERE t.Z_PK = 2"
        #expect(try Writing.rows(author, in: store) == ["importer"])
        #expect(
            try Writing.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000", in: store).prefix(2)
                == ["129", "2"])
    }

    @Test func `large values are in files that exist before the commit`() throws {
        let store = try copy(Writing.photos)
        try SampleStore.execute(Writing.withoutHistory, in: store)
        let container = try Writing.open(store)
        let context = container.newContext()
        let album = try Writing.insert("ProjectAlbum", in: context)
        let key = { album.objectID.primaryKey ?? 0 }
        let before = try StoreChecker.snapshot(of: store, to: directory, "before.sqlite")
        func save(_ size: Int, _ byte: UInt8) throws -> [String] {
            album["projectData"] = .blob([UInt8](repeating: byte, count: size))
            try context.save()
            let other = container.newContext()
            let fresh = try other.existingObject(with: album.objectID) as ManagedObject?
            let value = try fresh?.value(forProperty: "projectData")
            #expect(value == .blob([UInt8](repeating: byte, count: size)))
            #expect(try album.value(forProperty: "projectData") == value)
            #expect(try StoreChecker.faults(from: before, to: store).filter { $0.contains("file") }.isEmpty)
            let sql =
                "SELECT hex(substr(ZPROJECTDATA, 1, 1)), length(ZPROJECTDATA) FROM ZGENERICALBUM WHERE Z_PK = \(key())"
            let files = directory.url.appending(path: ".Photos_SUPPORT/_EXTERNAL_DATA").path
            let names = (try? FileManager.default.contentsOfDirectory(atPath: files)) ?? []
            return try Writing.rows(sql, in: store) + ["\(names.count)"]
        }
        #expect(try save(100, 1) == ["01 101", "0"])
        #expect(try StoreChecker.faults(from: before, to: store).isEmpty)
        #expect(try save(131_072, 2) == ["01 131073", "0"])
        #expect(try save(131_073, 3) == ["02 38", "1"])
        #expect(try save(200_000, 4) == ["02 38", "1"])
        // A save that fails leaves no file.
        album["projectData"] = .blob([UInt8](repeating: 9, count: 300_000))
        try SampleStore.execute("UPDATE ZGENERICALBUM SET Z_OPT = Z_OPT + 1", in: store)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        context.rollback()
        context.refreshAllObjects()
        #expect(try save(150_000, 5) == ["02 38", "1"])
        #expect(try save(7, 6) == ["01 8", "0"])
        #expect(try save(150_000, 7) == ["02 38", "1"])
        context.delete(album)
        try context.save()
        let files = directory.url.appending(path: ".Photos_SUPPORT/_EXTERNAL_DATA").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
    }

    @Test func `a store whose file was replaced is refused as such`() throws {
        let store = try copy(Writing.cars)
        let context = try Writing.open(store).newContext()
        let car = try Writing.objects("Car", context)[0]
        car["maker"] = .text("new")
        let former = directory.file("former.sqlite")
        try FileManager.default.moveItem(at: store, to: former)
        let missing = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(missing?.code == .storeReplaced)
        try FileManager.default.copyItem(at: former, to: store)
        let replaced = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(replaced?.code == .storeReplaced)
        #expect(try Writing.rows("SELECT count(*) FROM ZCAR WHERE ZMAKER = 'new'", in: store) == ["0"])
    }

    /// Ends this process by a signal after a random time.
    static func killLater() {
        let delay = UInt32.random(in: 1_000...400_000)
        Thread.detachNewThread {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
    }

    @Test(arguments: 0..<6)
    func `a killed process leaves the state of its last save`(round: Int) async throws {
        let store = try copy(Writing.books)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = store.path as String] in
            let context = try CoreDataWritingTests.open(URL(filePath: path)).newContext()
            let pages = try CoreDataWritingTests.objects("Page", context)
            for number in 1...10_000 {
                for page in pages { page["number"] = .integer(Int64(1_000_000 + number)) }
                let feedback = try context.insert(entityNamed: "Feedback")
                feedback["bookID"] = .blob([UInt8](repeating: 7, count: 16))
                feedback["authorAlias"] = .text("round \(number)")
                feedback["rating"] = .real(Double(number))
                try context.save()
                if number == 1 { CoreDataWritingSafetyTests.killLater() }
            }
        }
        #expect(try Writing.rows("PRAGMA integrity_check", in: store) == ["ok"])
        let numbers = try Writing.rows("SELECT ZNUMBER, Z_OPT FROM ZPAGE", in: store)
        let saves =
            try Writing.rows("SELECT count(*) FROM ATRANSACTION", in: store).compactMap { Int($0) }[0] - 1
        #expect(saves > 0 && Set(numbers) == ["\(1_000_000 + saves) \(saves + 1)"])
        let sums =
            "SELECT (SELECT count(*) FROM ZFEEDBACK) - 3, (SELECT count(*) FROM ACHANGE) - 126, (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Feedback') - 3"
        #expect(try Writing.rows(sums, in: store) == ["\(saves) \(saves * (numbers.count + 1)) \(saves)"])
        // The store can be opened and saved again.
        let state = try StoreChecker.snapshot(of: store, to: directory, "state.sqlite")
        let context = try Writing.open(store).newContext()
        try Writing.objects("Feedback", context)[0].setValue(.text("after"), forProperty: "comment")
        try context.save()
        let faults = try StoreChecker.faults(from: state, to: store)
        #expect(faults.isEmpty, "\(faults.prefix(5))")
    }

    @Test(arguments: 0..<3)
    func `a killed process leaves no row without its file`(round: Int) async throws {
        let store = try copy(Writing.photos)
        try SampleStore.execute(Writing.historyNumbers, in: store)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = store.path as String] in
            let context = try CoreDataWritingTests.open(URL(filePath: path)).newContext()
            let album = try CoreDataWritingTests.insert("ProjectAlbum", in: context)
            for number in 1...10_000 {
                album["projectData"] = .blob([UInt8](repeating: UInt8(number % 250), count: 140_000 + number))
                try context.save()
                if number == 1 { CoreDataWritingSafetyTests.killLater() }
            }
        }
        let state = try StoreChecker.snapshot(of: store, to: directory, "state.sqlite")
        let context = try Writing.open(store).newContext()
        let album = try #require(try Writing.objects("ProjectAlbum", context).first)
        let number = try #require(
            Int(try Writing.rows("SELECT Z_OPT FROM ZGENERICALBUM", in: store).first ?? ""))
        #expect(
            try album.value(forProperty: "projectData")
                == .blob([UInt8](repeating: UInt8(number % 250), count: 140_000 + number)))
        let files = directory.url.appending(path: ".Photos_SUPPORT/_EXTERNAL_DATA").path
        // Beside the value's file, one may remain that no row names.
        #expect([1, 2].contains(try FileManager.default.contentsOfDirectory(atPath: files).count))
        album["title"] = .text("after")
        try context.save()
        let faults = try StoreChecker.faults(from: state, to: store)
        #expect(faults.isEmpty, "\(faults.prefix(5))")
    }
}
