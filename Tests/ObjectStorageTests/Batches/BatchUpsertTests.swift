import CheckSupport
import Foundation
import ObjectStorage
import Testing

private final class Book: ManagedObject {
    @Attribute(.unique) var isbn: String?
    @Attribute var title: String = "untitled"
    @Attribute var price: Int64 = 0
    @Attribute(.externalStorage) var cover: Data?
    @Relationship(inverse: \Publisher.books) var publisher: Publisher?
}

private final class Publisher: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var books: [Book]
}

/// Batches that insert rows or update those with their unique values.
@Suite struct BatchUpsertTests {
    private let directory = try! TemporaryDirectory()
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let path: String

    init() throws {
        let url = directory.file("books.sqlite")
        path = url.path
        container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Book.self, Publisher.self))
        context = container.newContext()
    }

    /// Returns the rows of books in the store, through the `sqlite3` shell.
    private func stored() throws -> [String] {
        try Library.lines(
            of: "SELECT ifnull(isbn, '-') || ' ' || title || ' ' || price FROM Book ORDER BY isbn, objectID",
            path: path)
    }

    @Test func `rows with known unique values are updated with the given properties, others are inserted`()
        throws
    {
        let book = Book(context: context)
        (book.isbn, book.title, book.price) = ("1", "Candide", 5)
        try context.save()
        let result = try context.batchInsert(
            Book.self, updatingOn: \.isbn,
            rows: [
                ["isbn": "1", "price": 9], ["isbn": "2", "title": "Emma"], ["isbn": .null, "price": 1],
                ["price": 2],
            ], resultType: .objectIDs)
        #expect(try stored() == ["- untitled 1", "- untitled 2", "1 Candide 9", "2 Emma 0"])
        #expect(result.insertedCount == 3 && result.updatedCount == 1)
        #expect(result.updatedObjectIDs == [book.objectID] && result.insertedObjectIDs.count == 3)
        #expect(result.changes.updatedObjectIDs == [book.objectID])
        #expect(result.changes.insertedObjectIDs == Set(result.insertedObjectIDs))
        // The object in memory shows the new value.
        #expect(book.price == 9 && book.title == "Candide")
    }

    @Test func `a row updates the object of an earlier row of the batch, which counts once`() throws {
        let result = try context.batchInsert(
            Book.self, updatingOn: \.isbn,
            rows: [
                ["isbn": "1", "title": "a"], ["isbn": "1", "price": 3], ["isbn": "1", "price": 3],
            ])
        #expect(result.insertedCount == 1 && result.updatedCount == 0)
        #expect(result.insertedObjectIDs.isEmpty && result.changes.changedEntityNames == ["Book"])
        #expect(try stored() == ["1 a 3"])
    }

    @Test func `rows that already have the given values are neither written nor reported`() throws {
        let rows: [[String: StoredValue]] = [["isbn": "1", "title": "a"], ["isbn": "2", "title": "b"]]
        _ = try context.batchInsert(Book.self, updatingOn: \.isbn, rows: rows)
        let before = try Library.output(
            of: "PRAGMA data_version; SELECT hex(nonce) FROM sc_gen ORDER BY tbl", path: path)
        let result = try context.batchInsert(
            Book.self, updatingOn: \.isbn, rows: rows, resultType: .objectIDs)
        #expect(result.insertedCount == 0 && result.updatedCount == 0 && result.changes.isEmpty)
        #expect(
            try Library.output(
                of: "PRAGMA data_version; SELECT hex(nonce) FROM sc_gen ORDER BY tbl", path: path)
                == before)
    }

    @Test func `an invalid row is named in the error, and nothing is written`() throws {
        _ = try context.batchInsert(Book.self, updatingOn: \.isbn, rows: [["isbn": "1", "title": "a"]])
        for (row, code) in [
            (["isbn": "1", "price": "x"], ObjectStorageError.Code.invalidValue),
            (["isbn": "1", "title": .null], .missingValue), (["isbn": "1", "pages": 3], .unknownProperty),
            (["isbn": "3", "title": .null], .missingValue),
        ] as [([String: StoredValue], ObjectStorageError.Code)] {
            let error = #expect(throws: ObjectStorageError.self) {
                try context.batchInsert(
                    Book.self, updatingOn: \.isbn, rows: [["isbn": "2"], ["isbn": "1", "title": "b"], row])
            }
            #expect(error?.code == code && error?.message.hasPrefix("Row 3: ") == true)
        }
        #expect(try stored() == ["1 a 0"])
    }

    @Test func `properties that are not unique are refused`() throws {
        for names in [["title"], ["isbn", "title"], []] {
            let error = #expect(throws: ObjectStorageError.self) {
                try context.batchInsert(Book.self, updatingOn: names, rows: [["isbn": "1"]])
            }
            #expect(error?.code == .invalidRequest)
        }
        let unknown = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(Book.self, updatingOn: ["isnb"], rows: [])
        }
        #expect(unknown?.code == .unknownProperty && unknown?.message.contains("isbn") == true)
    }

    @Test func `other contexts and unsaved changes are treated as by other batches`() throws {
        let book = Book(context: context)
        (book.isbn, book.title) = ("1", "read")
        try context.save()
        let other = container.newContext()
        other.automaticallyMergesChanges = true
        let same = try #require(try other.existingObject(with: book.objectID) as? Book)
        book.price = 7
        _ = try context.batchInsert(Book.self, updatingOn: \.isbn, rows: [["isbn": "1", "title": "new"]])
        #expect(book.title == "new" && book.price == 7)
        try other.mergePendingChanges()
        #expect(same.title == "new")
        book.title = "mine"
        _ = try context.batchInsert(Book.self, updatingOn: \.isbn, rows: [["isbn": "1", "title": "newer"]])
        #expect(throws: ObjectStorageError.self) { try context.save() }
    }

    @Test func `large values are replaced, and the replaced ones are removed`() throws {
        let first = Data(repeating: 1, count: 20_000)
        let second = Data(repeating: 2, count: 30_000)
        for (data, count) in [(first, 1), (first, 1), (second, 1), (Data([3]), 0)] {
            _ = try context.batchInsert(
                Book.self, updatingOn: \.isbn, rows: [["isbn": "1", "cover": data.storedValue]])
            let elsewhere = container.newContext()
            let book = try #require(try elsewhere.fetch(FetchRequest<Book>()).first)
            #expect(book.cover == data)
            #expect(try Library.output(of: "SELECT count(*) FROM sc_data", path: path) == "\(count)\n")
        }
    }

    @Test func `a new relationship puts the object at the end of the ordered list`() throws {
        let (a, b) = (Publisher(context: context), Publisher(context: context))
        let books = (1...4).map { number in
            let book = Book(context: context)
            book.isbn = "\(number)"
            return book
        }
        a.books = [books[2], books[0]]
        b.books = [books[3], books[1]]
        try context.save()
        let key = try #require(a.objectID.primaryKey)
        _ = try context.batchInsert(
            Book.self, updatingOn: \.isbn,
            rows: [["isbn": "2", "publisher": .integer(key)], ["isbn": "1", "publisher": .integer(key)]])
        let elsewhere = container.newContext()
        let same = try #require(try elsewhere.existingObject(with: a.objectID) as? Publisher)
        #expect(same.books.map(\.isbn) == ["3", "1", "2"])
    }

    @Test func `a one-to-one relationship is refused, unless it is unchanged`() throws {
        let owner = EntityDescription(
            name: "Owner", attributes: [AttributeDescription(name: "code", type: .string, isUnique: true)],
            relationships: [.toOne("key", to: "Key", inverse: "owner")])
        let key = EntityDescription(
            name: "Key", attributes: [], relationships: [.toOne("owner", to: "Owner", inverse: "key")])
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(entities: [owner, key]))
        let context = container.newContext()
        let object = try context.insert(entityNamed: "Owner")
        try object.setValue("a", forProperty: "code")
        try object.setRelatedObject(context.insert(entityNamed: "Key"), forRelationship: "key")
        try context.save()
        func upsert(_ value: StoredValue) throws -> Int {
            try context.batchInsert(
                ManagedObject.self, entityName: "Owner", updatingOn: ["code"],
                rows: [["code": "a", "key": value]]
            ).updatedCount
        }
        #expect(try upsert(.integer(1)) == 0)
        for value in [StoredValue.null, .integer(2)] {
            let error = #expect(throws: ObjectStorageError.self) { try upsert(value) }
            #expect(error?.code == .invalidRequest && error?.propertyName == "key")
        }
    }

    @Test func `the allowed counts of relationships hold for updated rows`() throws {
        let list = EntityDescription(
            name: "List", attributes: [],
            relationships: [.toMany("entries", to: "Entry", inverse: "list", allowedCount: 1...2)])
        let entry = EntityDescription(
            name: "Entry", attributes: [AttributeDescription(name: "code", type: .string, isUnique: true)],
            relationships: [.toOne("list", to: "List", inverse: "entries")])
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(entities: [list, entry]))
        let context = container.newContext()
        let lists = try (0..<2).map { _ in try context.insert(entityNamed: "List") }
        for (number, code) in ["a", "b", "c"].enumerated() {
            let entry = try context.insert(entityNamed: "Entry")
            try entry.setValue(.text(code), forProperty: "code")
            try entry.setRelatedObject(lists[number / 2], forRelationship: "list")
        }
        try context.save()
        let keys = lists.map { StoredValue.integer($0.objectID.primaryKey ?? 0) }
        func move(_ code: String, to key: StoredValue) throws {
            try context.batchInsert(
                ManagedObject.self, entityName: "Entry", updatingOn: ["code"],
                rows: [["code": .text(code), "list": key]])
        }
        #expect(throws: ObjectStorageError.self) { try move("c", to: keys[0]) }
        try move("b", to: keys[1])
        #expect(throws: ObjectStorageError.self) { try move("a", to: .null) }
        #expect(try lists.map { try $0.relatedObjects("entries").count } == [1, 2])
    }

    /// A batch agrees with a dictionary of rows by unique values.
    @Test(arguments: 0..<30) func `a batch agrees with a dictionary`(number: Int) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        struct Row: Equatable {
            var title = "untitled"
            var price: Int64 = 0
        }
        var expected: [String: Row] = [:]
        for _ in 0..<4 {
            let before = expected
            var rows: [[String: StoredValue]] = []
            for _ in 0..<Int.random(in: 0..<40, using: &generator) {
                let isbn = "\(Int.random(in: 0..<25, using: &generator))"
                var row: [String: StoredValue] = ["isbn": .text(isbn)]
                var new = expected[isbn] ?? Row()
                if Bool.random(using: &generator) {
                    new.title = "\(Int.random(in: 0..<3, using: &generator))"
                    row["title"] = .text(new.title)
                }
                if Bool.random(using: &generator) {
                    new.price = Int64.random(in: 0..<3, using: &generator)
                    row["price"] = .integer(new.price)
                }
                expected[isbn] = new
                rows.append(row)
            }
            let result = try context.batchInsert(
                Book.self, updatingOn: \.isbn, rows: rows,
                resultType: Bool.random(using: &generator) ? .objectIDs : .count)
            #expect(result.insertedCount == expected.count - before.count, "seed \(seed)")
            // An object may have changed and changed back.
            let updated = before.count { expected[$0.key] != $0.value }
            #expect(result.updatedCount >= updated && result.updatedCount <= before.count, "seed \(seed)")
            #expect(
                try stored() == expected.sorted { $0.key < $1.key }.map { "\($0) \($1.title) \($1.price)" },
                "seed \(seed)")
        }
    }
}

/// Upserts into entities with sub-entities, with constraints over several attributes, and into external
/// tables.
@Suite struct BatchUpsertModelTests {
    private final class Track: ManagedObject {
        override class var existingTable: ExistingTable? { ExistingTable(name: "tracks", primaryKey: "id") }
        @Attribute var code: String = ""
        @Attribute var name: String = ""
    }

    private let directory = try! TemporaryDirectory()

    private func untyped() throws -> ManagedObjectContext {
        let media = EntityDescription(
            name: "Media",
            attributes: [
                AttributeDescription(name: "album", type: .string),
                AttributeDescription(name: "number", type: .integer64),
                AttributeDescription(name: "title", type: .string, isOptional: true),
            ], uniquenessConstraints: [["album", "number"]])
        let tune = EntityDescription(
            name: "Tune", parentName: "Media",
            attributes: [AttributeDescription(name: "key", type: .string, isOptional: true)])
        let talk = EntityDescription(name: "Talk", parentName: "Media", attributes: [])
        return try PersistentContainer(
            url: directory.file("media.sqlite"), model: ManagedObjectModel(entities: [media, tune, talk])
        ).newContext()
    }

    @Test func `a constraint over several attributes identifies rows, also of sub-entities`() throws {
        let context = try untyped()
        let names = ["number", "album"]
        func upsert(_ entity: String, _ rows: [[String: StoredValue]]) throws -> BatchUpsertResult {
            try context.batchInsert(
                ManagedObject.self, entityName: entity, updatingOn: names, rows: rows, resultType: .objectIDs)
        }
        let first = try upsert(
            "Tune", [["album": "a", "number": 1, "key": "C"], ["album": "a", "number": 2]])
        #expect(first.insertedCount == 2)
        let second = try upsert(
            "Media", [["album": "a", "number": 1, "title": "x"], ["album": "b", "number": 1]])
        #expect(second.insertedCount == 1 && second.updatedObjectIDs == [first.insertedObjectIDs[0]])
        #expect(second.updatedObjectIDs.map(\.entityName) == ["Tune"])
        let tune = try context.existingObject(with: first.insertedObjectIDs[0])
        #expect(try tune.value(forProperty: "title") == "x")
        #expect(try tune.value(forProperty: "key") == "C")
        // The unique value of another entity.
        let error = #expect(throws: ObjectStorageError.self) {
            try upsert("Talk", [["album": "a", "number": 1, "title": "y"]])
        }
        #expect(error?.code == .duplicateValue)
    }

    @Test func `rows of an external table are found by its unique index`() throws {
        let url = directory.file("tracks.sqlite")
        _ = try Library.output(
            of: """
                CREATE TABLE tracks (id INTEGER PRIMARY KEY, code TEXT NOT NULL, name TEXT NOT NULL DEFAULT '',
                    year INTEGER DEFAULT 7);
                CREATE UNIQUE INDEX codes ON tracks (code);
                INSERT INTO tracks (code, name, year) VALUES ('a', 'A', 1);
                """, path: url.path)
        let context = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Track.self),
            options: StoreOptions(existingTables: .tracked)
        )
        .newContext()
        let result = try context.batchInsert(
            Track.self, updatingOn: \.code,
            rows: [["code": "a", "name": "AA"], ["code": "b", "name": "B"]], resultType: .objectIDs)
        #expect(result.updatedObjectIDs.map(\.primaryKey) == [1] && result.insertedCount == 1)
        #expect(
            try Library.output(of: "SELECT code, name, year FROM tracks ORDER BY code", path: url.path)
                == "a|AA|1\nb|B|7\n")
        let error = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(Track.self, updatingOn: \.name, rows: [["code": "c"]])
        }
        #expect(error?.code == .invalidRequest)
    }
}
