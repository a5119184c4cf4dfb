import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// Stores that are read by a guess, and not written: the model, a number or a column may be another one.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataWritingCertaintyTests {
    private typealias Writing = CoreDataWritingTests
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ path: String) throws -> URL { try SampleStore.copy(path, to: directory) }

    /// Changes the property list in a store's metadata with Python.
    private func change(_ statement: String, in store: URL) throws {
        _ = try Python.output(
            of: """
                import sqlite3, sys, plistlib
                c = sqlite3.connect(sys.argv[1])
                p = plistlib.loads(c.execute('select Z_PLIST from Z_METADATA').fetchone()[0])
                \(statement)
                c.execute('update Z_METADATA set Z_PLIST = ?', (plistlib.dumps(p, fmt=plistlib.FMT_BINARY),))
                c.commit()
                """, [store.path])
    }

    @Test func `a given model must have the hashes that the store records`() throws {
        let folder = "coredataplus/SampleModel/"
        let store = try copy(Writing.cars)
        var options = StoreOptions()
        options.coreDataWriting = .withoutCopy
        func open(_ model: String) throws -> PersistentContainer {
            try PersistentContainer(
                coreDataStore: store, model: SampleStore.url(folder + model), options: options)
        }
        let context = try open("SampleModel.momd").newContext()
        try Writing.objects("Car", context)[0].setValue(.text("new"), forProperty: "maker")
        try context.save()
        let source = #expect(throws: ObjectStorageError.self) { try open("SampleModel.xcdatamodeld") }
        #expect(source?.code == .modelMismatch && source?.message.contains(".momd") == true)
        // For reading, the version that fits the tables is used.
        _ = try PersistentContainer(
            coreDataStore: store, model: SampleStore.url(folder + "SampleModel.xcdatamodeld"))
        try change("p['NSStoreModelVersionHashes']['Car'] = bytes(32)", in: store)
        let other = #expect(throws: ObjectStorageError.self) { try open("SampleModel.momd") }
        #expect(other?.code == .modelMismatch)
        try change("del p['NSStoreModelVersionHashes']", in: store)
        let none = #expect(throws: ObjectStorageError.self) { try open("SampleModel.momd") }
        #expect(none?.code == .modelMismatch && none?.message.contains("no readable hashes") == true)
    }

    @Test(arguments: ["NULL", "x'62706C6973743030FF'"])
    func `a store without readable hashes is not written`(list: String) throws {
        let store = try copy(Writing.cars)
        try SampleStore.execute("UPDATE Z_METADATA SET Z_PLIST = \(list)", in: store)
        let context = try Writing.open(store).newContext()
        // Another program migrates the store, and its hashes cannot be read either.
        try SampleStore.execute("UPDATE Z_METADATA SET Z_PLIST = x'62706C697374303000'", in: store)
        try Writing.objects("Car", context)[0].setValue(.text("new"), forProperty: "maker")
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .modelMismatch && error?.message.contains("cannot be read") == true)
        #expect(try Writing.rows("SELECT count(*) FROM ZCAR WHERE ZMAKER = 'new'", in: store) == ["0"])
    }

    /// A change of a store after which an assignment is not certain.
    struct Doubt: CustomTestStringConvertible, Sendable {
        let path: String
        /// The change, as SQL.
        let sql: String
        /// The entity that is not written.
        let entity: String
        /// A part of the message.
        let reason: String
        var testDescription: String { sql }
    }

    private static let photos = "photos-empty-ventura/Photos.sqlite"

    static let doubts = [
        Doubt(
            path: "coredataplus/SampleModel2/SampleModel2_V2.sqlite",
            sql: "ALTER TABLE ZFEEDBACK ADD COLUMN ZCOMMENT2", entity: "Feedback",
            reason: "has the columns ZCOMMENT, ZCOMMENT2"),
        Doubt(
            path: "coredataplus/SampleModel2/SampleModel2_V2.sqlite",
            sql: "ALTER TABLE ZFEEDBACK RENAME COLUMN ZCOMMENT TO ZCOMMENT1", entity: "Feedback",
            reason: "has the columns ZCOMMENT1"),
        Doubt(
            path: "coredataplus/SampleModel2/SampleModel2_V2.sqlite",
            sql: "ALTER TABLE ZPAGE RENAME COLUMN Z1_BOOK TO Z1_BOOK1", entity: "Page",
            reason: "the column for the entity of “book” is not certain"),
        Doubt(
            path: photos,
            sql:
                "DROP INDEX Z_FetchingAlbum_bySearchIndexRebuildState; UPDATE ZGENERICALBUM SET ZSEARCHINDEXREBUILDSTATE = 1; ALTER TABLE ZGENERICALBUM DROP COLUMN ZSEARCHINDEXREBUILDSTATE1",
            entity: "FetchingAlbum", reason: "searchIndexRebuildState” is not certain"),
        Doubt(
            path: "coredataplus/SampleModel/SampleModel_V1.sqlite",
            sql: "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Human' WHERE Z_NAME = 'Person'", entity: "Person",
            reason: "the model does not state that “Human” is its former name"),
        Doubt(
            path: "bnr-coredatastack/TestModel.sqlite",
            sql: "ALTER TABLE Z_1BOOKS RENAME COLUMN Z_1AUTHORS TO Z_77AUTHORS", entity: "Book",
            reason: "Z_77AUTHORS of the table Z_1BOOKS does not have the number of “Author”"),
        Doubt(
            path: "bnr-coredatastack/TestModel.sqlite",
            sql: "ALTER TABLE Z_1BOOKS RENAME COLUMN Z_2BOOKS TO Z_2BOOKS3", entity: "Author",
            reason: "Z_2BOOKS3 of the table Z_1BOOKS has a digit"),
        Doubt(
            path: photos,
            sql:
                "ALTER TABLE ZASSETCONTRIBUTOR RENAME COLUMN Z3LIBRARYSCOPEASSETCONTRIBUTORS TO Z999LIBRARYSCOPEASSETCONTRIBUTORS",
            entity: "Asset", reason: "does not have exactly the number of “Asset”"),
        Doubt(
            path: photos,
            sql:
                "ALTER TABLE ZASSETCONTRIBUTOR RENAME COLUMN Z3LIBRARYSCOPEASSETCONTRIBUTORS TO Z3LIBRARYSCOPEASSETCONTRIBUTORS1",
            entity: "Asset", reason: "does not have exactly the number of “Asset”"),
        Doubt(
            path: "carekit/SampleStore2.0.sqlite",
            sql:
                "DROP INDEX ZOCKCDPERSONNAME_ZCONTACT_INDEX; ALTER TABLE ZOCKCDPERSONNAME DROP COLUMN ZCONTACT",
            entity: "OCKCDContact", reason: "the inverse “contact” of “OCKCDContact.name” is not readable"),
        Doubt(
            path: "duckduckgo-bookmarks/Bookmarks_V5.sqlite",
            sql: "ALTER TABLE ZBOOKMARKENTITY DROP COLUMN Z_FOK_PARENT", entity: "BookmarkEntity",
            reason: "the order of “BookmarkEntity.children” is not readable"),
    ]

    @Test(arguments: doubts)
    func `rows of an assignment that is not certain are read, and not changed`(doubt: Doubt) throws {
        for isChanged in [false, true] {
            let store = try copy(doubt.path)
            if doubt.path == Self.photos { try SampleStore.execute(Writing.withoutHistory, in: store) }
            // An object exists before the assignment becomes a guess.
            let before = try Writing.open(store).newContext()
            if try Writing.objects(doubt.entity, before).isEmpty {
                _ = try Writing.insert(doubt.entity, in: before)
                try before.save()
            }
            if isChanged { try SampleStore.execute(doubt.sql, in: store) }
            let context = try Writing.open(store).newContext()
            let object = try #require(try Writing.objects(doubt.entity, context).first)
            let attribute = try #require(
                object.entity.attributes.first {
                    [.string, .integer16, .integer32, .integer64, .double].contains($0.type)
                        && !$0.isTransient
                        && $0.name != "searchIndexRebuildState"
                })
            let value: StoredValue =
                attribute.type == .string ? .text("new") : attribute.type == .double ? .real(7) : .integer(7)
            let former = try object.value(forProperty: attribute.name)
            #expect(former != value)
            object[attribute.name] = value
            guard isChanged else {
                try context.save()
                try FileManager.default.removeItem(at: store)
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(at: URL(filePath: store.path + suffix))
                }
                continue
            }
            let error = #expect(throws: ObjectStorageError.self) { try context.save() }
            #expect(
                error?.code == .existingTableMismatch && error?.message.contains(doubt.reason) == true,
                "\(error.debugDescription)")
            let reader = try PersistentContainer(coreDataStore: store).newContext()
            #expect(
                try Writing.objects(doubt.entity, reader).first?.value(forProperty: attribute.name) == former)
        }
    }

    @Test func `pairs of an object that cannot be changed are not changed at the other end`() throws {
        let store = try copy("bnr-coredatastack/TestModel.sqlite")
        let before = try Writing.open(store).newContext()
        _ = try Writing.insert("Author", in: before)
        _ = try Writing.insert("Book", in: before)
        try before.save()
        try SampleStore.execute("ALTER TABLE ZAUTHOR ADD COLUMN ZLASTNAME2", in: store)
        let context = try Writing.open(store).newContext()
        let book = try #require(try Writing.objects("Book", context).last)
        let author = try #require(try Writing.objects("Author", context).last)
        let others = try book.relatedObjects("authors").filter { $0 != author }
        try book.setRelatedObjects(others + [author], forRelationship: "authors")
        let pairs = "SELECT * FROM Z_1BOOKS ORDER BY 1, 2"
        let rows = try Writing.rows(pairs, in: store)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .existingTableMismatch && error?.entityName == "Author")
        #expect(try Writing.rows(pairs, in: store) == rows)
        // The book itself can be changed.
        context.rollback()
        book["title"] = .text("new")
        try context.save()
    }
}
