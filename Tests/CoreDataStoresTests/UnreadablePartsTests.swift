import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// Stores that lack tables, columns or numbers: the rest is read, and the missing parts are listed.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct UnreadablePartsTests {
    private static let photos = "photos-empty-ventura/Photos.sqlite"

    /// Returns a copy of a store, filled with random rows, after a change by SQL.
    private static func store(
        _ path: String, in directory: TemporaryDirectory, changedBy sql: String = ""
    ) throws -> URL {
        let copy = try SampleStore.copy(path, to: directory)
        try StoreOracle.fill(storeAt: copy.path, seed: 7)
        try SampleStore.execute(sql, in: copy)
        return copy
    }

    /// Changes a store and checks that exactly some properties are missing, that each is reported, and that
    /// the rest of the store is read as before.
    ///
    /// - Parameter otherwise: The properties that lead to objects of missing entities.
    private func expectMissing(
        _ missing: Set<String>, after sql: String, in path: String, otherwise: Set<String> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
        let whole = try PersistentContainer(coreDataStore: Self.store(path, in: first))
        let store = try CoreDataStore(contentsOf: Self.store(path, in: second, changedBy: sql))
        let container = try PersistentContainer(store)
        let parts = store.unreadableParts.map { part in
            [part.entityName, part.propertyName].compactMap(\.self).joined(separator: ".")
        }
        #expect(Set(parts) == missing && parts.count == missing.count, "\(store.unreadableParts)")
        #expect(store.unreadableParts.allSatisfy { $0.description.count > 20 })
        func isThere(_ line: String) -> Bool {
            let words = line.split(separator: " ").map(String.init)
            let names =
                words[0] == "count"
                ? [words[1], "\(words[1]).count"] : [words[0], "\(words[0]).\(words[2])"]
            let families = names.flatMap { name -> [String] in
                let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
                let ancestors = whole.model.entities.filter {
                    whole.model.entity(named: parts[0])?.isKind(ofEntityNamed: $0.name) == true
                }
                return ancestors.map { ([$0.name] + parts.dropFirst()).joined(separator: ".") }
            }
            return missing.union(otherwise).isDisjoint(with: families)
        }
        let expected = try StoreOracle.lines(of: whole).filter(isThere)
        let found = try StoreOracle.lines(of: container).filter(isThere)
        #expect(
            found == expected, "\(found.difference(from: expected).prefix(5))", sourceLocation: sourceLocation
        )
    }

    @Test func `a missing column omits its attribute`() throws {
        try expectMissing(
            ["Book.price"], after: "ALTER TABLE ZBOOK DROP COLUMN ZPRICE",
            in: "coredataplus/SampleModel2/SampleModel2_V1.sqlite")
    }

    @Test func `a missing reference omits both relationships`() throws {
        try expectMissing(
            ["Page.book", "Book.pages"],
            after: "DROP INDEX ZPAGE_ZBOOK_INDEX; ALTER TABLE ZPAGE DROP COLUMN ZBOOK",
            in: "coredataplus/SampleModel2/SampleModel2_V1.sqlite")
    }

    @Test func `a missing table omits its entity and the relationships to it`() throws {
        try expectMissing(
            ["Page", "Book.pages"], after: "DROP TABLE ZPAGE",
            in: "coredataplus/SampleModel2/SampleModel2_V1.sqlite")
    }

    @Test func `a missing table of pairs omits both relationships`() throws {
        try expectMissing(
            ["Author.books", "Book.authors"],
            after: "ALTER TABLE Z_1BOOKS RENAME COLUMN Z_1AUTHORS TO X",
            in: "bnr-coredatastack/TestModel.sqlite")
    }

    @Test func `a sub-entity without a number is omitted, and its parent is kept`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(
            "coredataplus/SampleModel/SampleModel_V1.sqlite", in: directory,
            changedBy: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'ExpensiveSportCar'")
        let store = try CoreDataStore(contentsOf: copy)
        #expect(store.unreadableParts.map(\.entityName) == ["ExpensiveSportCar"])
        #expect(store.model.entities.map(\.name).sorted() == ["Car", "Person", "SportCar"])
        _ = try StoreOracle.lines(of: PersistentContainer(store))
    }

    @Test(arguments: ["x'62706C6973743030FF'", "x'3C706C697374'", "zeroblob(17 << 20)", "NULL"])
    func `a damaged property list of the metadata is reported, and all rows are read`(list: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store("coredataplus/SampleModel2/SampleModel2_V1.sqlite", in: directory)
        let whole = try StoreOracle.lines(of: PersistentContainer(coreDataStore: copy))
        try SampleStore.execute("UPDATE Z_METADATA SET Z_PLIST = \(list)", in: copy)
        let store = try CoreDataStore(contentsOf: copy)
        #expect(store.unreadableParts.map(\.entityName) == [nil] && store.frameworkVersion == nil)
        #expect(store.unreadableParts[0].description.contains("Z_METADATA"))
        #expect(store.uuid != nil)
        #expect(try StoreOracle.lines(of: PersistentContainer(store)) == whole)
    }

    @Test func `a missing column of positions leaves an unordered relationship`() throws {
        let directory = try TemporaryDirectory()
        let path = "duckduckgo-bookmarks/Bookmarks_V5.sqlite"
        let copy = try Self.store(
            path, in: directory, changedBy: "ALTER TABLE ZBOOKMARKENTITY DROP COLUMN Z_FOK_PARENT")
        let store = try CoreDataStore(contentsOf: copy)
        #expect(store.unreadableParts.map(\.propertyName) == ["children"])
        let children = store.model.entity(named: "BookmarkEntity")?.relationship(named: "children")
        #expect(children?.isOrdered == false)
        _ = try StoreOracle.lines(of: PersistentContainer(store))
    }

    @Test func `rows of an entity without a number are not rows of its parent`() throws {
        let path = "coredataplus/SampleModel2/SampleModel2_V1.sqlite"
        let change = "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'GraphicNovel'"
        try expectMissing(
            ["GraphicNovel"], after: change, in: path, otherwise: ["Page.book", "Author.books", "Book.count"])
        let directory = try TemporaryDirectory()
        let copy = try Self.store(
            path, in: directory,
            changedBy:
                "UPDATE ZBOOK SET Z_ENT = 1 + Z_PK % 2, ZAUTHOR = 1 WHERE Z_PK < 9; UPDATE ZPAGE SET ZBOOK = 3; \(change)"
        )
        let context = try PersistentContainer(coreDataStore: copy).newContext()
        let keys = try Python.output(
            of:
                "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT group_concat(Z_PK) FROM (SELECT Z_PK FROM ZBOOK WHERE Z_ENT = 1 ORDER BY 1)').fetchone()[0])",
            [copy.path])
        func request(_ name: String) -> FetchRequest<ManagedObject> {
            FetchRequest<ManagedObject>(entityName: name, sortDescriptors: [.ascending("objectID")])
        }
        let books = try context.fetch(request("Book"))
        let found = books.compactMap(\.objectID.primaryKey).map(String.init).joined(separator: ",")
        #expect(Data((found + "\n").utf8) == keys && books.count > 3)
        #expect(try context.count(for: request("Book")) == books.count)
        let author = try #require(try context.fetch(request("Author")).first { $0.objectID.primaryKey == 1 })
        let ofAuthor = try author.relatedObjects("books").map { try #require($0.objectID.primaryKey) }
        #expect(ofAuthor.sorted().prefix(4) == [2, 4, 6, 8])
        // A row of an entity that the model lacks is named as the reason.
        let page = try #require(try context.fetch(request("Page")).first)
        let book = try #require(try page.relatedObject("book"))
        let error = #expect(throws: ObjectStorageError.self) { try book.value(forProperty: "title") }
        #expect(error?.code == .unknownEntity, "\(error.debugDescription)")
    }

    @Test func `columns with digits are not assigned without the numbers of all entities`() throws {
        for name in ["FetchingAlbum", "Album"] {
            let directory = try TemporaryDirectory()
            let copy = try Self.store(
                Self.photos, in: directory, changedBy: "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'")
            let store = try CoreDataStore(contentsOf: copy)
            for entity in store.model.entities {
                #expect(
                    entity.attribute(named: "searchIndexRebuildState") == nil
                        || entity.isKind(ofEntityNamed: "GenericAlbum") == false, "\(entity.name)")
            }
            let refused = store.unreadableParts.filter { $0.propertyName == "searchIndexRebuildState" }
            #expect(refused.count >= 1 && refused.allSatisfy { $0.reason.contains("with a digit") })
        }
    }

    @Test func `a missing numbered column is not replaced by that of another entity`() throws {
        let change = "ALTER TABLE ZASSETCONTRIBUTOR RENAME COLUMN Z3LIBRARYSCOPEASSETCONTRIBUTORS TO "
        for (name, isFound) in [
            ("Z4LIBRARYSCOPEASSETCONTRIBUTORS", false), ("Z3LIBRARYSCOPEASSETCONTRIBUTORS1", true),
            ("Z999LIBRARYSCOPEASSETCONTRIBUTORS", true), ("X", false),
        ] {
            let directory = try TemporaryDirectory()
            let copy = try Self.store(Self.photos, in: directory, changedBy: change + name)
            let store = try CoreDataStore(contentsOf: copy)
            let parts = store.unreadableParts.compactMap(\.propertyName)
            #expect(parts.contains("libraryScopeAssetContributors") != isFound, "\(name) \(parts)")
        }
    }

    @Test func `a missing table of pairs is not replaced by that of another relationship`() throws {
        let directory = try TemporaryDirectory()
        // The names of the columns fit, and the numbers are those of other entities.
        let copy = try SampleStore.copy("bnr-coredatastack/TestModel.sqlite", to: directory)
        try SampleStore.execute(
            "DROP TABLE Z_1BOOKS; INSERT INTO Z_PRIMARYKEY VALUES (7, 'Other', 0, 0), (8, 'Another', 0, 0); CREATE TABLE Z_7BOOKS (Z_7AUTHORS INTEGER, Z_8BOOKS INTEGER, PRIMARY KEY (Z_7AUTHORS, Z_8BOOKS))",
            in: copy)
        let store = try CoreDataStore(contentsOf: copy)
        #expect(store.unreadableParts.compactMap(\.propertyName).sorted() == ["authors", "books"])
    }

    @Test func `an unusual table is reported, and the rest is read`() throws {
        func replacing(_ name: String, by table: String) -> String {
            "CREATE TABLE x AS SELECT * FROM \(name); DROP TABLE \(name); CREATE \(table)"
        }
        try expectMissing(
            ["Author.books", "Book.authors"],
            after: replacing("Z_1BOOKS", by: "TABLE Z_1BOOKS AS SELECT * FROM x"),
            in: "bnr-coredatastack/TestModel.sqlite")
        try expectMissing(
            ["Page", "Book.pages"],
            after: replacing("ZPAGE", by: "TABLE ZPAGE AS SELECT * FROM x"),
            in: "coredataplus/SampleModel2/SampleModel2_V1.sqlite")
        try expectMissing(
            ["Page", "Book.pages"],
            after: replacing("ZPAGE", by: "VIEW ZPAGE AS SELECT * FROM x"),
            in: "coredataplus/SampleModel2/SampleModel2_V1.sqlite")
    }

    @Test func `a number without a name is not that of an entity with other attributes`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(
            "coredataplus/SampleModel/SampleModel_V1.sqlite", in: directory,
            changedBy: """
                DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person';
                INSERT INTO Z_PRIMARYKEY VALUES (9, 'Machine', 0, 0); ALTER TABLE ZPERSON RENAME TO ZMACHINE;
                ALTER TABLE ZMACHINE RENAME COLUMN ZFIRSTNAME TO ZSERIALNUMBER;
                """)
        let store = try CoreDataStore(contentsOf: copy)
        #expect(store.renamedEntities["Person"] == nil)
        #expect(store.unreadableParts.contains { $0.entityName == "Person" && $0.propertyName == nil })
    }

    /// Changes the types of attributes in the model of a store.
    private static func setTypes(_ types: [String: Int], in store: URL) throws {
        let list = types.map { "\($0.key)=\($0.value)" }
        _ = try Python.output(
            of: """
                import sqlite3, sys, zlib, plistlib
                c = sqlite3.connect(sys.argv[1])
                p = plistlib.loads(zlib.decompress(c.execute('select Z_CONTENT from Z_MODELCACHE').fetchone()[0], -15))
                o = p['$objects']
                types = dict(a.split('=') for a in sys.argv[2:])
                for d in o:
                    if isinstance(d, dict) and 'NSAttributeType' in d and o[d['NSPropertyName'].data] in types:
                        d['NSAttributeType'] = int(types[o[d['NSPropertyName'].data]])
                z = zlib.compressobj(9, zlib.DEFLATED, -15)
                b = z.compress(plistlib.dumps(p, fmt=plistlib.FMT_BINARY)) + z.flush()
                c.execute('update Z_MODELCACHE set Z_CONTENT = ?', (b,))
                c.commit()
                """, [store.path] + list)
    }

    @Test func `attributes of unknown types are bytes, and are reported`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store("coredataplus/SampleModel2/SampleModel2_V1.sqlite", in: directory)
        let whole = try StoreOracle.lines(of: PersistentContainer(coreDataStore: copy))
        try Self.setTypes(["title": 4_242, "uniqueID": 2_000, "comment": 2_100], in: copy)
        let store = try CoreDataStore(contentsOf: copy)
        let parts = store.unreadableParts.map { "\($0.entityName ?? "").\($0.propertyName ?? "")" }
        #expect(parts.sorted() == ["Book.title", "Book.uniqueID", "Feedback.comment"])
        let book = store.model.entity(named: "GraphicNovel")
        #expect(book?.attribute(named: "title")?.type == .binaryData)
        #expect(book?.attribute(named: "uniqueID")?.type == .binaryData)
        #expect(try StoreOracle.lines(of: PersistentContainer(store)) == whole)
    }

    @Test func `another program's database is refused`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("other.sqlite")
        try SampleStore.execute("CREATE TABLE t (a)", in: file)
        #expect(try DatabaseSurvey.kind(of: file) == .other)
        let error = #expect(throws: ObjectStorageError.self) { try PersistentContainer(coreDataStore: file) }
        #expect(error?.code == .foreignStore && error?.message.contains("Z_METADATA") == true)
        let missing = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(coreDataStore: directory.file("nothing.sqlite"))
        }
        #expect(missing?.code == .storeMissing)
        #expect(try SampleStore.contents(of: directory.url).count == 1)
    }
}
