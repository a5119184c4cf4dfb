import CheckSupport
import Foundation
import ObjectStorage
import Testing

@Suite struct ContextTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.container.newContext()
    }

    @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"], [3, 20])
    func `a save that an application's trigger aborts writes nothing`(way: String, number: Int) throws {
        let library = try Library()
        try library.runElsewhere(
            "CREATE TRIGGER guard AFTER INSERT ON Author WHEN NEW.name = 'x' BEGIN SELECT RAISE(\(way), 'not x'); END"
        )
        let context = library.container.newContext()
        for position in 0..<40 { Author(context: context).name = position == number ? "x" : "\(position)" }
        let culprit = context.insertedObjects[number].objectID
        do {
            try context.save()
            Issue.record("The trigger did not fire.")
        } catch {
            // After a rollback by the trigger, the save cannot be retried to find the object.
            #expect(error.message.contains("not x") && (error.objectID == culprit || way == "ROLLBACK"))
        }
        #expect(try library.container.newContext().count(for: FetchRequest<Author>()) == 0)
        #expect(context.insertedObjects.count == 40)
        context.delete(context.insertedObjects[number])
        try context.save()
        #expect(try library.container.newContext().count(for: FetchRequest<Author>()) == 39)
    }

    @Test func `a unique value may pass from one object to another, in any order of the changes`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let authors = (0..<6).map { number in
            let author = Author(context: context)
            author.name = "\(number)"
            return author
        }
        try context.save()
        for order in [Array(0..<6), Array((0..<6).reversed()), [3, 1, 5, 0, 4, 2]] {
            let names = authors.map(\.name)
            // Each object gets the name of the next, and the last one a new name.
            for number in order { authors[number].name = number < 5 ? names[number + 1] : UUID().uuidString }
            #expect(try context.count(for: FetchRequest<Author>()) == 6)
            try context.save()
            let stored = try library.container.newContext().fetch(FetchRequest<Author>()).map(\.name)
            #expect(stored == authors.map(\.name) && Array(stored.prefix(5)) == Array(names.dropFirst()))
        }
        authors[0].name = authors[1].name
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .duplicateValue && error?.objectID == authors[0].objectID)
    }

    @Test func `unique values may be passed on in cycles`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let authors = (0..<7).map { number in
            let author = Author(context: context)
            author.name = "\(number)"
            return author
        }
        try context.save()
        // Two objects swap values, three pass theirs on in a cycle, and two are a chain that ends in a new
        // value.
        let names = ["1", "0", "3", "4", "2", "6", "new"]
        for (author, name) in zip(authors, names) { author.name = name }
        #expect(try context.count(for: FetchRequest<Author>(predicate: \.name == "3")) == 1)
        try context.save()
        #expect(try library.container.newContext().fetch(FetchRequest<Author>()).map(\.name) == names)

        // Another program changed one of the names in the meantime, which is a conflict as usual.
        try library.runElsewhere("UPDATE Author SET name = 'other' WHERE name = '0'")
        swap(&authors[0].name, &authors[1].name)
        swap(&authors[2].name, &authors[3].name)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict && error?.objectID == authors[1].objectID)
        context.mergePolicy = .contextWins
        try context.save()
        let stored = try library.container.newContext().fetch(FetchRequest<Author>()).map(\.name)
        #expect(stored == ["0", "1", "4", "3"] + names.dropFirst(4))
    }

    @Test(arguments: [
        MergePolicy.error, .contextWins, .propertyByProperty(.context), .propertyByProperty(.store),
    ])
    func `a conflict in a cycle of unique values is handled like any conflict`(policy: MergePolicy) throws {
        final class Seat: ManagedObject {
            @Attribute(.unique) var place: Int64 = 0
            @Attribute var guest: String = ""
        }
        let library = try Library(model: ManagedObjectModel(types: Seat.self))
        let context = library.container.newContext()
        context.mergePolicy = policy
        let seats = (0..<3).map { _ in Seat(context: context) }
        for (place, seat) in seats.enumerated() { seat.place = Int64(place) }
        try context.save()
        for number in seats.indices {
            let places = seats.map(\.place)
            try library.runElsewhere(
                "UPDATE Seat SET guest = 'there\(number)' WHERE objectID = \(number + 1)")
            seats[number].guest = "here\(number)"
            for (seat, place) in zip(seats, places.dropFirst() + places.prefix(1)) { seat.place = place }
            if policy == .error {
                let error = #expect(throws: ObjectStorageError.self) { try context.save() }
                #expect(error?.code == .conflict)
                #expect(error?.conflicts.map(\.objectID) == [seats[number].objectID])
                try context.mergeChangesFromStore()
            }
            try context.save()
            let guest = policy == .propertyByProperty(.store) ? "there\(number)" : "here\(number)"
            #expect(seats[number].guest == guest)
            let stored = try Library.output(
                of: "SELECT place || guest FROM Seat ORDER BY objectID",
                path: library.directory.file("library.sqlite").path)
            #expect(stored == seats.map { "\($0.place)\($0.guest)\n" }.joined())
            #expect(Set(seats.map(\.place)) == [0, 1, 2])
        }
    }

    @Test func `large external values are stored once each after a cycle of unique values`() throws {
        final class Cover: ManagedObject {
            @Attribute(.unique) var name: String = ""
            @Attribute(.externalStorage) var data: Data?
        }
        let library = try Library(model: ManagedObjectModel(types: Cover.self))
        let context = library.container.newContext()
        let (first, second) = (Cover(context: context), Cover(context: context))
        (first.name, second.name) = ("a", "b")
        try context.save()
        (first.name, second.name) = ("b", "a")
        first.data = Data(repeating: 1, count: 100_000)
        second.data = Data(repeating: 2, count: 100_000)
        try context.save()
        let fresh = library.container.newContext()
        let covers = try fresh.fetch(FetchRequest<Cover>())
        #expect(covers.map(\.name) == ["b", "a"] && covers.map(\.data) == [first.data, second.data])
        let count = try Library.output(
            of: "SELECT count(*) FROM sc_data", path: library.directory.file("library.sqlite").path)
        #expect(count == "2\n")
    }

    @Test func `a duplicate unique value in unsaved changes does not prevent fetches`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let authors = ["a", "b"].map { name in
            let author = Author(context: context)
            author.name = name
            return author
        }
        try context.save()
        authors[1].name = "a"
        let new = Author(context: context)
        new.name = "a"
        let request = FetchRequest<Author>(sortDescriptors: [.ascending(\.name)])
        #expect(try context.fetch(request) == authors + [new])
        #expect(try context.count(for: FetchRequest<Author>(predicate: \.name == "a")) == 3)
        let child = context.newChildContext()
        #expect(try child.fetch(request).map(\.name) == ["a", "a", "a"])
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .duplicateValue)
        (authors[1].name, new.name) = ("b", "c")
        #expect(try context.fetch(request).map(\.name) == ["a", "b", "c"])
        try context.save()
        // The uniqueness constraint is unchanged, also for other programs.
        #expect(throws: ForeignProgramError.self) {
            try library.runElsewhere("UPDATE Author SET name = 'a' WHERE name = 'b'")
        }
    }

    @Test(arguments: [1, 15, 16, 31, 40])
    func `a failing save of many new objects names the failing object and writes nothing`(
        number: Int
    ) throws {
        let library = try Library()
        let context = library.container.newContext()
        for position in 0...40 {
            Author(context: context).name = position == number ? "author 0" : "author \(position)"
        }
        let work = Work(context: context)
        work.title = "last"
        let culprit = context.insertedObjects[number]
        do {
            try context.save()
            Issue.record("The same name was saved twice.")
        } catch {
            #expect(error.code == .duplicateValue && error.objectID == culprit.objectID)
        }
        #expect(try library.container.newContext().count(for: FetchRequest<Author>()) == 0)
        (culprit as? Author)?.name = "another"
        try context.save()
        let names = try library.container.newContext().fetch(FetchRequest<Author>()).map(\.name)
        #expect(names == (0...40).map { $0 == number ? "another" : "author \($0)" })
    }

    @Test func `another context reads back all values of a saved object`() throws {
        let work = Work(context: context)
        work.title = "Émile"
        work.year = 1762
        work.pages = -32_768
        work.key = .max
        work.rating = 0.1
        work.weight = 1.5
        work.isRead = true
        work.added = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        work.cover = Data([0, 255, 0])
        work.uuid = UUID()
        work.genre = .poetry
        let author = Author(context: context)
        author.name = "Jean-Jacques Rousseau"
        work.author = author
        try context.save()

        let other = library.container.newContext()
        let read = try #require(try other.fetch(FetchRequest<Work>()).first)
        #expect(read.title == "Émile")
        #expect(read.year == 1762)
        #expect(read.pages == -32_768)
        #expect(read.key == .max)
        #expect(read.rating == 0.1)
        #expect(read.weight == 1.5)
        #expect(read.isRead)
        #expect(read.added == work.added)
        #expect(read.cover == work.cover)
        #expect(read.uuid == work.uuid)
        #expect(read.genre == .poetry)
        #expect(read.author?.name == "Jean-Jacques Rousseau")
        #expect(read.author?.works == [read])
    }

    @Test func `a context has one object for each row`() throws {
        let work = Work(context: context)
        try context.save()
        let fetched = try context.fetch(FetchRequest<Work>())
        #expect(fetched.first === work)
        #expect(try context.object(with: work.objectID) === work)
    }

    @Test func `a rollback restores changed and deleted objects and removes inserted ones`() throws {
        let kept = Work(context: context)
        kept.title = "kept"
        let doomed = Work(context: context)
        try context.save()
        kept.title = "changed"
        context.delete(doomed)
        let new = Work(context: context)
        context.rollback()
        #expect(kept.title == "kept")
        #expect(!doomed.isDeleted)
        #expect(new.isDeleted)
        #expect(!context.hasChanges)
        #expect(try context.count(for: FetchRequest<Work>()) == 2)
    }

    @Test func `a save that fails changes neither the store nor the context`() throws {
        let first = Author(context: context)
        first.name = "Anon"
        try context.save()
        let second = Author(context: context)
        second.name = "Anon"
        let work = Work(context: context)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(second.isInserted)
        #expect(work.objectID.isTemporary)
        let other = library.container.newContext()
        #expect(try other.count(for: FetchRequest<Author>()) == 1)
        #expect(try other.count(for: FetchRequest<Work>()) == 0)
        second.name = "Anonymous"
        try context.save()
        #expect(try other.count(for: FetchRequest<Author>()) == 2)
    }

    @Test func `setting a value back to the stored one leaves nothing to save`() throws {
        let work = Work(context: context)
        work.title = "a"
        try context.save()
        work.title = "b"
        #expect(context.hasChanges)
        work.title = "a"
        #expect(!context.hasChanges)
    }

    @Test func `a conflicting change of another context is an error and not a lost update`() throws {
        let work = Work(context: context)
        work.title = "a"
        try context.save()
        let other = library.container.newContext()
        let same = try #require(try other.fetch(FetchRequest<Work>()).first)
        same.title = "b"
        try other.save()
        work.title = "c"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict)
        context.rollback()
        context.refreshAllObjects()
        #expect(work.title == "b")
    }

    @Test func `changes to different properties of one row do not conflict`() throws {
        let work = Work(context: context)
        try context.save()
        let other = library.container.newContext()
        let same = try #require(try other.fetch(FetchRequest<Work>()).first)
        same.title = "title"
        try other.save()
        work.year = 1900
        try context.save()
        context.refreshAllObjects()
        #expect(work.title == "title")
        #expect(work.year == 1900)
    }

    @Test func `an object whose row was deleted elsewhere has default values and a typed error`() throws {
        let work = Work(context: context)
        work.title = "soon gone"
        try context.save()
        try library.runElsewhere("DELETE FROM Work")
        context.refreshAllObjects()
        #expect(work.title == "")
        #expect(work.readError?.code == .objectMissing)
        work.title = "unread"
        let error = #expect(throws: ObjectStorageError.self) { try work.load() }
        #expect(error?.code == .objectMissing)
    }

    @Test func `keys of deleted objects are not given to other objects`() throws {
        let work = Work(context: context)
        try context.save()
        let key = try #require(work.objectID.primaryKey)
        context.delete(work)
        try context.save()
        let next = Work(context: context)
        try context.save()
        #expect(try #require(next.objectID.primaryKey) > key)
    }

    @Test func `a foreign value of the wrong type affects only its own property`() throws {
        let work = Work(context: context)
        work.title = "fine"
        try context.save()
        try library.runElsewhere("UPDATE Work SET pages = 'many'")
        context.refreshAllObjects()
        #expect(work.pages == 0)
        #expect(work.readError?.code == .invalidValue)
        #expect(work.readError?.propertyName == "pages")
        #expect(work.title == "fine")
    }

    @Test func `a value out of range is refused, and an unknown property name gets a suggestion`() throws {
        let work = Work(context: context)
        let error = #expect(throws: ObjectStorageError.self) {
            try work.setValue(.integer(40_000), forProperty: "pages")
        }
        #expect(error?.code == .invalidValue)
        #expect(work.pages == 0)
        let unknown = #expect(throws: ObjectStorageError.self) { try work.value(forProperty: "titel") }
        #expect(unknown?.message.contains("“title”") == true)
    }

    @Test func `not a number is refused because SQLite would store NULL`() throws {
        let work = Work(context: context)
        work.rating = .nan
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .invalidValue)
    }
}
