import ObjectStorage
import CheckSupport
import Testing

private final class Quartet: ManagedObject {
    override class var entityName: String { "Quartet" }
    @Attribute var name: String = ""
    @Attribute var rank: Int32 = 0
    @Relationship(deleteRule: .cascade) var records: [Release]
}

private class Release: ManagedObject {
    override class var entityName: String { self == Release.self ? "Release" : "SevenInch" }
    @Attribute var title: String = ""
    @Relationship(inverse: \Quartet.records) var band: Quartet?
}

private final class SevenInch: Release {
    @Attribute var bSide: String = "none"
}

/// Deletions that are undone with all their effects, also for objects that are read later.
@Suite struct DeletionUndoTests {
    private let directory = try! TemporaryDirectory()
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(
            url: directory.file("bands.sqlite"),
            model: ManagedObjectModel(types: Quartet.self, Release.self, SevenInch.self))
        context = container.newContext()
    }

    /// Creates a band whose records are added from the other end, so that their keys are their order, without
    /// stored positions.
    private func band(_ name: String, _ titles: [String]) throws -> Quartet {
        let band = Quartet(context: context)
        band.name = name
        for title in titles {
            let record = Release(context: context)
            record.title = title
            record.band = band
        }
        return band
    }

    private func titles(_ context: ManagedObjectContext, _ name: String = "A") throws -> [String]? {
        try context.fetch(FetchRequest<Quartet>(predicate: \.name == name)).first.map {
            $0.records.map(\.title)
        }
    }

    @Test func `an object has the class that is passed at run time`() throws {
        let types: [Release.Type] = [Release.self, SevenInch.self]
        for type in types {
            let object = try context.insert(type)
            #expect(Swift.type(of: object) == type)
            try context.batchInsert(type, rows: [["title": .text("batch")]])
        }
        try context.save()
        #expect(try container.newContext().fetch(FetchRequest<SevenInch>()).map(\.bSide) == ["none", "none"])
        #expect(try context.count(for: FetchRequest<Release>()) == 4)
    }

    /// An object that is restored after a saved deletion has another key, and the keys are the order.
    @Test func `undo and redo across saves keep the order of a list without stored positions`() throws {
        _ = try band("A", ["1", "2", "3"])
        _ = try band("B", ["4"])
        try context.save()
        let undoManager = ManagedObjectContext.UndoManager()
        context.undoManager = undoManager
        func record(_ title: String) throws -> Release {
            try #require(context.fetch(FetchRequest<Release>(predicate: \.title == title)).first)
        }
        func stored() throws -> [[String]?] {
            let reader = container.newContext()
            return [try titles(reader, "A"), try titles(reader, "B")]
        }
        let other = try #require(context.fetch(FetchRequest<Quartet>(predicate: \.name == "B")).first)
        let changes: [() throws -> Void] = [
            { try self.context.delete(record("2")) },
            { try record("1").band = other },
            { try self.context.delete(record("4")) },
            { try record("3").band = other },
        ]
        var states = [try stored()]
        for change in changes {
            try change()
            try context.save()
            states.append(try stored())
        }
        #expect(states.last == [[], ["1", "3"]])
        for _ in 0..<3 {
            for state in states.dropLast().reversed() {
                try context.undo()
                try context.save()
                #expect(try stored() == state)
            }
            for state in states.dropFirst() {
                try context.redo()
                try context.save()
                #expect(try stored() == state)
            }
        }
        #expect(!undoManager.canRedo)
    }

    @Test(arguments: [false, true])
    func `objects that a rule deletes are undone and redone with their cause, in an explicit group`(
        isSaved: Bool
    ) throws {
        let band = try band("A", ["1", "2", "3"])
        try context.save()
        let undoManager = ManagedObjectContext.UndoManager()
        context.undoManager = undoManager
        undoManager.beginUndoGrouping()
        context.delete(band)
        undoManager.setActionName("Delete")
        undoManager.endUndoGrouping()
        if isSaved { try context.save() }
        #expect(undoManager.undoActionName == "Delete")
        #expect(try context.count(for: FetchRequest<Release>()) == 0)
        try context.undo()
        #expect(try titles(context) == ["1", "2", "3"])
        #expect(!undoManager.canUndo && undoManager.redoActionName == "Delete")
        try context.redo()
        #expect(try context.count(for: FetchRequest<Release>()) == 0)
        try context.undo()
        try context.save()
        #expect(try titles(container.newContext()) == ["1", "2", "3"])
    }

    @Test func `a deletion without undo registration does not prevent an undo`() throws {
        let (kept, deleted) = (try band("A", []), try band("B", ["1"]))
        try context.save()
        let undoManager = ManagedObjectContext.UndoManager()
        context.undoManager = undoManager
        kept.rank = 7
        try context.processPendingChanges()
        undoManager.disableUndoRegistration()
        context.delete(deleted)
        undoManager.enableUndoRegistration()
        try context.undo()
        #expect(kept.rank == 0)
        #expect(try context.count(for: FetchRequest<Release>()) == 0)
    }

    @Test(arguments: 0..<6)
    func `a list without stored positions has its order again after an undo, here and in the store`(
        variant: Int
    ) throws {
        let (band, other) = (try band("A", ["1", "2", "3", "4"]), try band("B", []))
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        switch variant {
        case 0: band.records[0].band = other
        case 1: band.records[1].band = nil
        case 2: other.records = [band.records[2], band.records[0]]
        case 3: context.delete(band.records[0])
        case 4: context.delete(band)
        default:
            context.delete(band.records[2])
            context.delete(band.records[0])
        }
        try context.save()
        #expect(try titles(context) != ["1", "2", "3", "4"])
        try context.undo()
        #expect(try titles(context) == ["1", "2", "3", "4"])
        try context.save()
        #expect(try titles(context) == ["1", "2", "3", "4"])
        #expect(try titles(container.newContext()) == ["1", "2", "3", "4"])
    }

    @Test func `a long chain of deletions is undone`() throws {
        let model = try ManagedObjectModel(types: Link.self)
        let container = try PersistentContainer(url: directory.file("chain.sqlite"), model: model)
        let context = container.newContext()
        var last: Link?
        for _ in 0..<5_000 {
            let link = Link(context: context)
            link.previous = last
            last = link
        }
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        let first = try #require(
            try context.existingObject(with: ObjectID(entityName: "Link", primaryKey: 1)) as? Link)
        context.delete(first)
        #expect(context.deletedObjects.count == 5_000)
        try context.undo()
        #expect(!context.hasChanges)
        #expect(try context.count(for: FetchRequest<Link>()) == 5_000)
    }

    @Test func `a long chain of unsaved objects is deleted and restored`() throws {
        let context = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Link.self)).newContext()
        let links = (0..<5_000).map { _ in Link(context: context) }
        for (previous, link) in zip(links, links.dropFirst()) { link.previous = previous }
        context.undoManager = ManagedObjectContext.UndoManager()
        context.delete(links[0])
        #expect(links.allSatisfy(\.isDeleted) && !context.hasChanges)
        try context.undo()
        #expect(zip(links, links.dropFirst()).allSatisfy { $1.previous === $0 })
        try context.save()
        #expect(try context.count(for: FetchRequest<Link>(predicate: \.previous == nil)) == 1)
    }

    @Test func `objects that are read during a pending deletion do not refer to the deleted object`() throws {
        _ = try band("A", ["1", "2"])
        try context.save()
        let model = try ManagedObjectModel(types: Cassette.self, Sticker.self)
        let container = try PersistentContainer(url: directory.file("discs.sqlite"), model: model)
        let writer = container.newContext()
        let label = Sticker(context: writer)
        for number in 0..<3 {
            let disc = Cassette(context: writer)
            disc.number = Int64(number)
            disc.label = label
        }
        try writer.save()
        for isChild in [false, true] {
            let parent = container.newContext()
            let context = isChild ? parent.newChildContext() : parent
            let request = FetchRequest<Cassette>(sortDescriptors: [.ascending(\.number)])
            let fault = try context.object(
                with: ObjectID(entityName: "Cassette", primaryKey: 3))
            context.delete(try context.fetch(FetchRequest<Sticker>())[0])
            let discs = Array(try context.fetch(request))
            #expect(discs.allSatisfy { $0.label == nil })
            try context.save()
            #expect(discs.map { $0.label == nil } == [true, true, true])
            #expect((fault as? Cassette)?.label == nil)
            let predicate = try FetchRequest<Cassette>.Predicate(format: "label != nil")
            for disc in discs { #expect(try !predicate.evaluate(with: disc)) }
            guard !isChild else { continue }
            let again = Sticker(context: writer)
            try writer.mergePendingChanges()
            for disc in try writer.fetch(request) { disc.label = again }
            try writer.save()
        }
    }
}

private final class Sticker: ManagedObject {
    override class var entityName: String { "Sticker" }
    @Relationship var discs: Set<Cassette>
}

private final class Cassette: ManagedObject {
    override class var entityName: String { "Cassette" }
    @Attribute var number: Int64 = 0
    @Relationship(inverse: \Sticker.discs) var label: Sticker?
}

private final class Link: ManagedObject {
    override class var entityName: String { "Link" }
    @Relationship(inverse: \Link.next) var previous: Link?
    @Relationship(deleteRule: .cascade) var next: Set<Link>
}
