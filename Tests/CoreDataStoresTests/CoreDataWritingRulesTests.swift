import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// Single rules of saving objects in Core Data stores.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataWritingRulesTests {
    private typealias Writing = CoreDataWritingTests
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func copy(_ path: String) throws -> URL { try SampleStore.copy(path, to: directory) }

    @Test func `a store is only read unless writing is requested`() throws {
        let container = try PersistentContainer(coreDataStore: copy(Writing.cars))
        #expect(container.isReadOnly)
        var options = StoreOptions()
        options.coreDataWriting = .withCopy
        options.isUntrusted = true
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(coreDataStore: SampleStore.url(Writing.cars), options: options)
        }
        #expect(error?.code == .invalidRequest)
        // The model was read without the option.
        let store = try CoreDataStore(contentsOf: copy(Writing.bookmarks))
        options.isUntrusted = false
        #expect(try !PersistentContainer(store, options: options).isReadOnly)
    }

    @Test(arguments: [MergePolicy.error, .contextWins, .storeWins, .propertyByProperty(.context)])
    func `any change of the row since it was read is a conflict`(policy: MergePolicy) throws {
        let store = try copy(Writing.cars)
        let context = try Writing.open(store).newContext()
        context.mergePolicy = policy
        let person = try #require(try Writing.objects("Person", context).first)
        let key = try #require(person.objectID.primaryKey)
        let last = try person.value(forProperty: "lastName")
        person["firstName"] = .text("Ada")
        try SampleStore.execute(
            "UPDATE ZPERSON SET Z_OPT = Z_OPT + 1, ZLASTNAME = 'L' WHERE Z_PK = \(key)", in: store)
        let row = "SELECT Z_OPT, ZFIRSTNAME = 'Ada', ZLASTNAME = 'L' FROM ZPERSON WHERE Z_PK = \(key)"
        guard policy != .error else {
            let error = #expect(throws: ObjectStorageError.self) { try context.save() }
            #expect(error?.code == .conflict && error?.message.contains("version") == false)
            #expect(try Writing.rows(row, in: store) == ["2 0 1"])
            return
        }
        try context.save()
        let expected = policy == .contextWins ? "3 1 0" : policy == .storeWins ? "2 0 1" : "3 1 1"
        #expect(try Writing.rows(row, in: store) == [expected])
        #expect(try person.value(forProperty: "lastName") == (policy == .contextWins ? last : .text("L")))
        // The object knows the number of changes of its row.
        person["firstName"] = .text("Grace")
        try context.save()
        #expect(try Writing.rows(row, in: store)[0].hasPrefix("\((Int(expected.prefix(1)) ?? 0) + 1) "))
    }

    @Test func `an unchanged number of changes is no conflict`() throws {
        let store = try copy(Writing.cars)
        let context = try Writing.open(store).newContext()
        let person = try #require(try Writing.objects("Person", context).first)
        for name in ["A", "B", "C"] {
            person["firstName"] = .text(name)
            try context.save()
        }
        let sql = "SELECT Z_OPT, ZFIRSTNAME FROM ZPERSON WHERE Z_PK = \(person.objectID.primaryKey ?? 0)"
        #expect(try Writing.rows(sql, in: store) == ["4 C"])
        // Two contexts of a container follow each other.
        let other = context.container.newContext()
        let same = try #require(try other.existingObject(with: person.objectID) as ManagedObject?)
        same["firstName"] = .text("D")
        let changes = try other.save()
        try context.mergeChanges(from: changes)
        person["firstName"] = .text("E")
        try context.save()
        #expect(try Writing.rows(sql, in: store) == ["6 E"])
    }

    @Test func `keys continue after the largest that was given in the hierarchy`() throws {
        let store = try copy(Writing.cars)
        try SampleStore.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1000 WHERE Z_NAME = 'Car'", in: store)
        let context = try Writing.open(store).newContext()
        let names = ["ExpensiveSportCar", "Car", "SportCar"]
        let cars = try names.map { name in
            let car = try context.insert(entityNamed: name)
            car["numberPlate"] = .text(name)
            return car
        }
        try context.save()
        #expect(cars.map(\.objectID.primaryKey) == [1_001, 1_002, 1_003])
        #expect(cars.allSatisfy { !$0.objectID.isTemporary })
        let rows = "SELECT Z_PK, Z_ENT, Z_OPT, ZNUMBERPLATE FROM ZCAR WHERE Z_PK > 1000"
        #expect(
            try Writing.rows(rows, in: store)
                == ["1001 3 1 ExpensiveSportCar", "1002 1 1 Car", "1003 2 1 SportCar"])
        #expect(try Writing.rows("SELECT Z_MAX FROM Z_PRIMARYKEY", in: store) == ["1003", "0", "0", "20"])
        // A key is not given again after its row was deleted.
        context.delete(cars[2])
        try context.save()
        let next = try context.insert(entityNamed: "Car")
        next["numberPlate"] = .text("next")
        try context.save()
        #expect(next.objectID.primaryKey == 1_004)
    }

    @Test func `new positions fall between their neighbours, and a list without gaps is renumbered`() throws {
        let store = try copy(Writing.bookmarks)
        let context = try Writing.open(store).newContext()
        let folder = try #require(
            try Writing.objects("BookmarkEntity", context).first {
                try $0.value(forProperty: "uuid") == .text("bookmarks_root")
            })
        let positions =
            "SELECT Z_FOK_PARENT FROM ZBOOKMARKENTITY WHERE ZPARENT = \(folder.objectID.primaryKey ?? 0) ORDER BY 1"
        #expect(try Writing.rows(positions, in: store) == ["2048", "3072", "4096", "5120", "6144"])
        func insert(at index: Int) throws {
            let bookmark = try context.insert(entityNamed: "BookmarkEntity")
            bookmark["uuid"] = .text("new \(index)")
            bookmark["isFolder"] = .integer(0)
            var children = try folder.relatedObjects("children")
            children.insert(bookmark, at: index)
            try folder.setRelatedObjects(children, forRelationship: "children")
            try context.save()
        }
        try insert(at: 1)
        #expect(try Writing.rows(positions, in: store) == ["2048", "2560", "3072", "4096", "5120", "6144"])
        try insert(at: 6)
        try insert(at: 0)
        #expect(
            try Writing.rows(positions, in: store)
                == ["1024", "2048", "2560", "3072", "4096", "5120", "6144", "7168"])
        for _ in 0..<11 { try insert(at: 1) }
        let all = try Writing.rows(positions, in: store).compactMap { Int($0) }
        #expect(Set(all).count == 19 && all.allSatisfy { $0 > 0 })
        let shown = try folder.relatedObjects("children").map(\.objectID)
        let fresh = context.container.newContext()
        let again = try #require(try fresh.existingObject(with: folder.objectID) as ManagedObject?)
        #expect(try again.relatedObjects("children").map(\.objectID) == shown)
    }

    @Test func `the class column follows the destination`() throws {
        let store = try copy(Writing.books)
        let context = try Writing.open(store).newContext()
        let novel = try #require(try Writing.objects("GraphicNovel", context).first)
        let page = try #require(
            try Writing.objects("Page", context).first {
                try $0.relatedObject("book")?.entity.name == "Book"
            })
        let row = "SELECT Z_OPT, ZBOOK, Z1_BOOK FROM ZPAGE WHERE Z_PK = \(page.objectID.primaryKey ?? 0)"
        let counts = "SELECT Z_OPT, ZPAGESCOUNT FROM ZBOOK ORDER BY Z_PK"
        let before = try Writing.rows(counts, in: store)
        try page.setRelatedObject(novel, forRelationship: "book")
        try context.save()
        #expect(try Writing.rows(row, in: store) == ["2 \(novel.objectID.primaryKey ?? 0) 2"])
        // A trigger of the store counts the pages, which is not a change of the book.
        #expect(before == ["1 1", "1 99", "1 19"])
        let after = try Writing.rows(counts, in: store)
        #expect(after.last == "1 20" && [["1 0", "1 99", "1 20"], ["1 1", "1 98", "1 20"]].contains(after))
        #expect(try novel.value(forProperty: "pagesCount") == .integer(20))
        // A value that is set for a derived attribute is not written.
        novel["pagesCount"] = .integer(7)
        try page.setRelatedObject(novel, forRelationship: "book")
        try context.save()
        #expect(try Writing.rows(counts, in: store) == after)
    }

    @Test func `a unique value is an error, or merges with the row under a policy`() throws {
        let store = try copy("duckduckgo-syncmetadata/SyncMetadata_V3.sqlite")
        let context = try Writing.open(store).newContext()
        let known = try #require(try Writing.objects("SyncFeatureEntity", context).first)
        let name = try known.value(forProperty: "name")
        let new = try context.insert(entityNamed: "SyncFeatureEntity")
        new["name"] = name
        new["state"] = .text("new")
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .duplicateValue)
        context.mergePolicy = .propertyByProperty(.context)
        try context.save()
        #expect(new.objectID == known.objectID)
        let rows = "SELECT count(*), max(Z_OPT), sum(ZSTATE = 'new') FROM ZSYNCFEATUREENTITY"
        #expect(try Writing.rows(rows, in: store) == ["2 2 1"])
    }

    @Test func `unique values can be exchanged`() throws {
        let store = try copy("duckduckgo-syncmetadata/SyncMetadata_V3.sqlite")
        let context = try Writing.open(store).newContext()
        let objects = try Writing.objects("SyncFeatureEntity", context)
        let names = try objects.map { try $0.value(forProperty: "name") }
        (objects[0]["name"], objects[1]["name"]) = (names[1], names[0])
        try context.save()
        #expect(try Writing.rows("SELECT Z_OPT FROM ZSYNCFEATUREENTITY", in: store) == ["2", "2"])
        #expect(try objects.map { try $0.value(forProperty: "name") } == names.reversed())
    }

    @Test func `relationships without an inverse and with themselves are written at both ends`() throws {
        let store = try copy(Writing.photos)
        try SampleStore.execute(Writing.withoutHistory, in: store)
        let context = try Writing.open(store).newContext()
        let people = try (0..<3).map { _ in try Writing.insert("Person", in: context) }
        let asset = try Writing.insert("Asset", in: context)
        let contributors = try (0..<2).map { _ in try Writing.insert("AssetContributor", in: context) }
        for contributor in contributors {
            for relationship in contributor.entity.toOneRelationships where !relationship.isOptional {
                let other = try Writing.insert(relationship.destinationEntityName, in: context)
                try contributor.setRelatedObject(other, forRelationship: relationship.name)
            }
        }
        try people[0].setRelatedObjects([people[1], people[2]], forRelationship: "mergeCandidates")
        try asset.setRelatedObjects(contributors, forRelationship: "libraryScopeAssetContributors")
        let first = try StoreChecker.snapshot(of: store, to: directory, "first.sqlite")
        try context.save()
        #expect(try StoreChecker.faults(from: first, to: store).isEmpty)
        let pairs = "SELECT * FROM Z_47MERGECANDIDATES ORDER BY 1, 2"
        #expect(try Writing.rows(pairs, in: store).count == 4)
        let column = "SELECT Z3LIBRARYSCOPEASSETCONTRIBUTORS, Z_OPT FROM ZASSETCONTRIBUTOR ORDER BY Z_PK"
        #expect(try Writing.rows(column, in: store) == ["1 1", "1 1"])
        let second = try StoreChecker.snapshot(of: store, to: directory, "second.sqlite")
        try people[1].setRelatedObjects([], forRelationship: "mergeCandidates")
        try asset.setRelatedObjects([contributors[1]], forRelationship: "libraryScopeAssetContributors")
        try context.save()
        #expect(try StoreChecker.faults(from: second, to: store).isEmpty)
        #expect(try Writing.rows(pairs, in: store).count == 2)
        #expect(try Writing.rows(column, in: store) == ["None 2", "1 1"])
        // The deletion of the source deletes the rows that it leads to, by its rule, and keeps the other row.
        let third = try StoreChecker.snapshot(of: store, to: directory, "third.sqlite")
        context.delete(asset)
        try context.save()
        #expect(try StoreChecker.faults(from: third, to: store).isEmpty)
        #expect(try Writing.rows(column, in: store) == ["None 2"])
        // The index of places has no row of the asset any more.
        #expect(try Writing.rows("SELECT count(*) FROM Z_RT_Asset_boundedByRect", in: store) == ["0"])
    }

    @Test func `undone changes and those of child contexts are saved by the rules`() throws {
        let store = try copy(Writing.bookmarks)
        let container = try Writing.open(store)
        let context = container.newContext()
        context.undoManager = ManagedObjectContext.UndoManager()
        let objects = try Writing.objects("BookmarkEntity", context)
        let folder = try #require(
            try objects.first { try $0.value(forProperty: "uuid") == .text("bookmarks_root") })
        func check(_ body: () throws -> Void) throws {
            let before = try StoreChecker.snapshot(of: store, to: directory, "before.sqlite")
            try body()
            try context.save()
            let faults = try StoreChecker.faults(from: before, to: store)
            #expect(faults.isEmpty, "\(faults)")
            let expected = try StoreOracle.expectedLines(ofStoreAt: store.path)
            #expect(try StoreOracle.lines(of: context, container.model) == expected)
            #expect(try StoreOracle.lines(of: container) == expected)
        }
        try check {
            let child = context.newChildContext()
            let same = try #require(try child.existingObject(with: folder.objectID) as ManagedObject?)
            let bookmark = try child.insert(entityNamed: "BookmarkEntity")
            bookmark["uuid"] = .text("of a child")
            bookmark["isFolder"] = .integer(0)
            let children = try same.relatedObjects("children")
            try same.setRelatedObjects([bookmark] + children.reversed(), forRelationship: "children")
            try child.save()
        }
        try check { folder["title"] = .text("changed") }
        try check { try context.undo() }
        try check { context.delete(try folder.relatedObjects("children")[1]) }
        try check { try context.undo() }
        try check { context.delete(folder) }
        try check { try context.undo() }
    }

    @Test func `contexts that order a list at the same time leave distinct positions`() throws {
        let store = try copy(Writing.bookmarks)
        let container = try Writing.open(store)
        let contexts = [container.newContext(), container.newContext()]
        let before = try StoreChecker.snapshot(of: store, to: directory, "before.sqlite")
        for context in contexts {
            let folder = try #require(
                try Writing.objects("BookmarkEntity", context).first {
                    try $0.value(forProperty: "uuid") == .text("bookmarks_root")
                })
            for _ in 0..<2 {
                let bookmark = try context.insert(entityNamed: "BookmarkEntity")
                bookmark["uuid"] = .text("new")
                bookmark["isFolder"] = .integer(0)
                let children = try folder.relatedObjects("children")
                try folder.setRelatedObjects(children + [bookmark], forRelationship: "children")
            }
        }
        try contexts[0].save()
        let between = try StoreChecker.snapshot(of: store, to: directory, "between.sqlite")
        #expect(try StoreChecker.faults(from: before, to: store).isEmpty)
        try contexts[1].save()
        #expect(try StoreChecker.faults(from: between, to: store).isEmpty)
        let expected = try StoreOracle.expectedLines(ofStoreAt: store.path)
        #expect(try StoreOracle.lines(of: container) == expected)
    }

    @Test func `an object whose values the history must preserve cannot be deleted`() throws {
        let store = try copy(Writing.photos)
        try SampleStore.execute(Writing.historyNumbers, in: store)
        let context = try Writing.open(store).newContext()
        let asset = try Writing.insert("Asset", in: context)
        try context.save()
        context.delete(asset)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .existingTableMismatch && error?.message.contains("history") == true)
    }

    @Test func `a history without numbers is refused`() throws {
        let context = try Writing.open(copy(Writing.photos)).newContext()
        _ = try Writing.insert("Person", in: context)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .existingTableMismatch && error?.message.contains("Z_PRIMARYKEY") == true)
    }

    @Test func `batches are refused`() throws {
        let store = try copy(Writing.cars)
        let context = try Writing.open(store).newContext()
        let before = try Writing.rows("SELECT Z_PK, Z_OPT FROM ZCAR", in: store)
        let error = #expect(throws: ObjectStorageError.self) {
            try context.batchDelete(FetchRequest<ManagedObject>(entityName: "Car"))
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("Core Data") == true)
        #expect(try Writing.rows("SELECT Z_PK, Z_OPT FROM ZCAR", in: store) == before)
    }

    @Test func `a planted mistake of each kind is found by the checker`() throws {
        let store = try copy(Writing.books)
        let mistakes = [
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Page'", "Z_MAX 1 below"),
            ("UPDATE ZPAGE SET Z_ENT = 3", "has the entity 3"),
            ("UPDATE ZPAGE SET Z1_BOOK = 2", "Z1_BOOK is 2 and not 1"),
            ("UPDATE ZPAGE SET ZBOOK = 99 WHERE Z_PK = 1", "leads to the missing 99"),
            ("UPDATE ZPAGE SET ZNUMBER = 7 WHERE Z_PK = 1", "Z_OPT from 1 to 1 changed"),
            ("UPDATE ZPAGE SET Z_OPT = 2 WHERE Z_PK = 1", "Z_OPT from 1 to 2 unchanged"),
            ("UPDATE ZPAGE SET Z_OPT = 2, ZNUMBER = 7 WHERE Z_PK = 1", "history [(1, 4, 1)] 0 1"),
            ("DELETE FROM ZFEEDBACK WHERE Z_PK = 1", "history [(2, 3, 1)] 0 1"),
            ("UPDATE Z_METADATA SET Z_UUID = 'x'", "Z_METADATA changed"),
            ("UPDATE ZBOOK SET ZTITLE = NULL, Z_OPT = 2 WHERE Z_PK = 1", "has no title"),
            ("CREATE TABLE sc_store (id)", "schema changed"),
        ]
        let before = try StoreChecker.snapshot(of: store, to: directory, "before.sqlite")
        #expect(try StoreChecker.faults(from: before, to: store).isEmpty)
        for (mistake, fault) in mistakes {
            let after = try StoreChecker.snapshot(of: store, to: directory, "after.sqlite")
            let triggers = "DROP TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_"
            for file in [before, after] {
                try SampleStore.execute("\(triggers)INCREMENT; \(triggers)DECREMENT", in: file)
            }
            try SampleStore.execute(mistake, in: after)
            let faults = try StoreChecker.faults(from: before, to: after)
            #expect(faults.contains { $0.contains(fault) }, "\(mistake): \(faults.prefix(5))")
            _ = try StoreChecker.snapshot(of: store, to: directory, "before.sqlite")
        }
        let ordered = try copy(Writing.bookmarks)
        let first = try StoreChecker.snapshot(of: ordered, to: directory, "first.sqlite")
        try SampleStore.execute(
            "UPDATE ZBOOKMARKENTITY SET Z_FOK_PARENT = 2048, Z_OPT = Z_OPT + 1 WHERE Z_FOK_PARENT = 3072",
            in: ordered)
        #expect(try StoreChecker.faults(from: first, to: ordered).contains { $0.contains("is not distinct") })
    }
}
