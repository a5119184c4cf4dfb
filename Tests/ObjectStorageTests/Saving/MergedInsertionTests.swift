import CheckSupport
import Foundation
import ObjectStorage
import Testing

private final class Tag: ManagedObject {
    @Attribute(.unique) var name: String?
    @Attribute var color: String = "none"
    @Attribute var rank: Int64 = 0
    @Attribute(.externalStorage) var icon: Data?
    @Relationship var notes: [Note]
    @Relationship var friends: Set<Tag>
    @Relationship(inverse: \Tag.friends) var friendOf: Set<Tag>
}

private final class Note: ManagedObject {
    @Attribute var text: String = ""
    @Relationship(inverse: \Tag.notes) var tag: Tag?
}

/// New objects whose unique values belong to rows: the merge policy decides about them.
@Suite struct MergedInsertionTests {
    private let directory = try! TemporaryDirectory()
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let path: String

    init() throws {
        let url = directory.file("tags.sqlite")
        path = url.path
        container = try PersistentContainer(url: url, model: ManagedObjectModel(types: Tag.self, Note.self))
        context = container.newContext()
    }

    private func stored() throws -> [String] {
        try Library.lines(
            of:
                "SELECT objectID || ' ' || ifnull(name, '-') || ' ' || color || ' ' || rank FROM Tag ORDER BY objectID",
            path: path)
    }

    @discardableResult
    private func tag(
        _ name: String?, color: String? = nil, rank: Int64? = nil, in context: ManagedObjectContext
    ) -> Tag {
        let tag = Tag(context: context)
        tag.name = name
        if let color { tag.color = color }
        if let rank { tag.rank = rank }
        return tag
    }

    /// Saves a tag in another context.
    private func saveElsewhere() throws {
        let other = container.newContext()
        tag("rock", color: "red", rank: 1, in: other)
        try other.save()
    }

    static let policies: [(MergePolicy, String)] = [
        (.storeWins, "1 rock red 1"), (.propertyByProperty(.store), "1 rock red 1"),
        (.contextWins, "1 rock none 2"), (.propertyByProperty(.context), "1 rock red 2"),
    ]

    @Test(arguments: policies)
    func `a new object becomes the object of the row that has its unique value`(
        policy: MergePolicy, expected: String
    ) throws {
        try saveElsewhere()
        context.mergePolicy = policy
        let new = tag("rock", rank: 2, in: context)
        let note = Note(context: context)
        note.tag = new
        let temporary = new.objectID
        let changes = try context.save()
        #expect(try stored() == [expected])
        #expect("\(new.objectID.primaryKey ?? 0) \(new.name ?? "-") \(new.color) \(new.rank)" == expected)
        #expect(!new.isDeleted && !new.hasChanges && temporary.primaryKey == 1)
        #expect(changes.insertedObjectIDs == [note.objectID] && changes.updatedObjectIDs == [new.objectID])
        #expect(new.notes == [note] && note.tag === new)
        let elsewhere = container.newContext()
        let same = try #require(try elsewhere.existingObject(with: note.objectID) as? Note)
        #expect(same.tag?.objectID == new.objectID)
        // Later changes of the object are saved as usual.
        new.rank = 7
        try context.save()
        #expect(try stored().map { $0.suffix(1) } == ["7"])
    }

    @Test func `with the policy error a repeated value is an error, and nothing is saved`() throws {
        try saveElsewhere()
        let new = tag("rock", in: context)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .duplicateValue && error?.objectID == new.objectID)
        #expect(try stored() == ["1 rock red 1"])
    }

    @Test(arguments: policies)
    func `the context's own object of the row stays, and the new one is deleted`(
        policy: MergePolicy, expected: String
    ) throws {
        try saveElsewhere()
        context.mergePolicy = policy
        let present = try #require(try context.fetch(FetchRequest<Tag>()).first)
        #expect(present.color == "red")
        let new = tag("rock", rank: 2, in: context)
        let note = Note(context: context)
        note.tag = new
        try context.save()
        #expect(try stored() == [expected])
        #expect("1 rock \(present.color) \(present.rank)" == expected)
        #expect(new.isDeleted && new.objectID == present.objectID && note.tag === present)
        #expect(present.notes == [note] && !context.hasChanges)
        #expect(try context.fetch(FetchRequest<Tag>()) == [present])
    }

    @Test(arguments: policies)
    func `of two new objects with one value the later one is merged with the earlier one`(
        policy: MergePolicy, expected: String
    ) throws {
        context.mergePolicy = policy
        let first = tag("rock", color: "red", rank: 1, in: context)
        let second = tag("rock", rank: 2, in: context)
        let notes = [first, second].map { tag in
            let note = Note(context: context)
            note.tag = tag
            return note
        }
        first.friends = [tag("pop", in: context)]
        second.friends = [tag("jazz", in: context)]
        let changes = try context.save()
        #expect(try stored().filter { $0.contains("rock") } == [expected])
        #expect(second.isDeleted && !first.isDeleted && first.objectID == second.objectID)
        #expect(Set(first.notes) == Set(notes) && Set(first.friends.map(\.name)) == ["pop", "jazz"])
        #expect(changes.insertedObjectIDs.count == 5 && changes.updatedObjectIDs.isEmpty)
        #expect(try Library.output(of: "SELECT count(*) FROM Tag", path: path) == "3\n")
    }

    @Test func `values that the save sets and releases are taken into account`() throws {
        context.mergePolicy = .propertyByProperty(.context)
        let (a, b) = (tag("a", in: context), tag("b", in: context))
        try context.save()
        // The row of a releases its value, and that of b takes the value of a new object.
        a.name = "free"
        b.name = "taken"
        let (released, taken) = (tag("a", rank: 1, in: context), tag("taken", rank: 2, in: context))
        let deleted = tag("c", in: context)
        try context.save()
        #expect(
            try stored().map { $0.dropFirst(2) } == ["free none 0", "taken none 2", "a none 1", "c none 0"])
        #expect(!released.isDeleted && taken.isDeleted && b.rank == 2)
        // A deleted row releases its value as well.
        context.delete(deleted)
        let new = tag("c", rank: 3, in: context)
        try context.save()
        #expect(!new.isDeleted && new.rank == 3)
        #expect(try stored().last?.hasSuffix("c none 3") == true)
    }

    @Test func `objects without a value and objects of other rows are not merged`() throws {
        context.mergePolicy = .contextWins
        try saveElsewhere()
        tag(nil, in: context)
        tag(nil, in: context)
        tag("pop", in: context)
        try context.save()
        #expect(try stored().count == 4)
    }

    @Test func `an update that takes another row's unique value remains an error`() throws {
        try saveElsewhere()
        context.mergePolicy = .contextWins
        let other = tag("pop", in: context)
        try context.save()
        other.name = "rock"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .duplicateValue)
    }

    @Test(arguments: policies) func `large values are those of the side that wins`(
        policy: MergePolicy, expected: String
    ) throws {
        let (here, there) = (Data(repeating: 1, count: 30_000), Data(repeating: 2, count: 30_000))
        let other = container.newContext()
        tag("rock", color: "red", rank: 1, in: other).icon = there
        try other.save()
        context.mergePolicy = policy
        let new = tag("rock", rank: 2, in: context)
        new.icon = here
        try context.save()
        let winner = policy == .storeWins || policy == .propertyByProperty(.store) ? there : here
        #expect(new.icon == winner)
        let elsewhere = container.newContext()
        #expect(try elsewhere.fetch(FetchRequest<Tag>()).map(\.icon) == [winner])
        #expect(try Library.output(of: "SELECT count(*) FROM sc_data", path: path) == "1\n")
    }

    @Test func `undoing the insertion does not delete the row`() throws {
        try saveElsewhere()
        context.mergePolicy = .contextWins
        context.undoManager = ManagedObjectContext.UndoManager()
        let new = tag("rock", in: context)
        let note = Note(context: context)
        try context.save()
        try context.undo()
        #expect(!new.isDeleted && note.isDeleted)
        try context.save()
        #expect(try stored().count == 1)
    }

    @Test func `a child's new object is merged by the save of its parent`() throws {
        try saveElsewhere()
        context.mergePolicy = .propertyByProperty(.context)
        let child = context.newChildContext()
        let new = tag("rock", rank: 5, in: child)
        try child.save()
        #expect(context.insertedObjects.count == 1)
        try context.save()
        #expect(try stored() == ["1 rock red 5"])
        #expect(new.objectID.primaryKey == 1 && new.rank == 5)
    }

    @Test func `a row of another entity is not merged`() throws {
        let base = EntityDescription(
            name: "Base", attributes: [AttributeDescription(name: "code", type: .string, isUnique: true)])
        let leaf = EntityDescription(name: "Leaf", parentName: "Base", attributes: [])
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(entities: [base, leaf]))
        let context = container.newContext()
        context.mergePolicy = .contextWins
        try context.insert(entityNamed: "Leaf").setValue("a", forProperty: "code")
        try context.save()
        try context.insert(entityNamed: "Leaf").setValue("a", forProperty: "code")
        try context.save()
        try context.insert(entityNamed: "Base").setValue("a", forProperty: "code")
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .duplicateValue)
    }

    @Test func `an object that leads to a merged object has the row's key in its own constraint`() throws {
        let list = EntityDescription(
            name: "List", attributes: [AttributeDescription(name: "code", type: .string, isUnique: true)],
            relationships: [
                .toMany("entries", to: "Entry", inverse: "list")
            ])
        let entry = EntityDescription(
            name: "Entry",
            attributes: [
                AttributeDescription(name: "word", type: .string),
                AttributeDescription(name: "count", type: .integer64, defaultValue: 0),
            ],
            relationships: [
                .toOne("list", to: "List", inverse: "entries")
            ], uniquenessConstraints: [["list", "word"]])
        let container = try PersistentContainer(
            url: directory.file("lists.sqlite"), model: ManagedObjectModel(entities: [list, entry]))
        for count in 1...3 as ClosedRange<Int64> {
            let context = container.newContext()
            context.mergePolicy = .contextWins
            // The entry is inserted before the list that it leads to.
            let entry = try context.insert(entityNamed: "Entry")
            let list = try context.insert(entityNamed: "List")
            try list.setValue("a", forProperty: "code")
            try entry.setValue("w", forProperty: "word")
            try entry.setValue(.integer(count), forProperty: "count")
            try entry.setRelatedObject(list, forRelationship: "list")
            try context.save()
            #expect(list.objectID.primaryKey == 1 && entry.objectID.primaryKey == 1)
        }
        #expect(
            try Library.output(
                of: "SELECT objectID, word, count FROM Entry", path: directory.file("lists.sqlite").path)
                == "1|w|3\n")
    }

    @Test(arguments: policies)
    func `both ends of a one-to-one relationship agree after a merge`(
        policy: MergePolicy, expected: String
    ) throws {
        let owner = EntityDescription(
            name: "Owner", attributes: [AttributeDescription(name: "code", type: .string, isUnique: true)],
            relationships: [.toOne("key", to: "Key", inverse: "owner")])
        let key = EntityDescription(
            name: "Key", attributes: [AttributeDescription(name: "text", type: .string)],
            relationships: [.toOne("owner", to: "Owner", inverse: "key")])
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(entities: [owner, key]))
        func save(_ text: String, in context: ManagedObjectContext) throws -> (ManagedObject, ManagedObject) {
            let owner = try context.insert(entityNamed: "Owner")
            let key = try context.insert(entityNamed: "Key")
            try owner.setValue("a", forProperty: "code")
            try key.setValue(.text(text), forProperty: "text")
            try owner.setRelatedObject(key, forRelationship: "key")
            try context.save()
            return (owner, key)
        }
        let other = container.newContext()
        let (_, previous) = try save("there", in: other)
        let context = container.newContext()
        context.mergePolicy = policy
        let (merged, new) = try save("here", in: context)
        let winner = policy == .storeWins || policy == .propertyByProperty(.store) ? previous : new
        let loser = winner === new ? previous : new
        let elsewhere = container.newContext()
        let owners = try elsewhere.fetch(FetchRequest<ManagedObject>(entityName: "Owner"))
        #expect(owners.count == 1)
        #expect(try owners[0].relatedObject("key")?.objectID == winner.objectID)
        let keys = try [winner, loser].map { try elsewhere.existingObject(with: $0.objectID) }
        #expect(try keys[0].relatedObject("owner") === owners[0])
        #expect(try keys[1].relatedObject("owner") == nil)
        #expect(try merged.relatedObject("key")?.objectID == winner.objectID)
        #expect(try (new.relatedObject("owner") === merged) == (winner === new))
    }

    /// Saves agree with a dictionary of tags by name.
    @Test(arguments: 0..<40) func `saves agree with a dictionary`(number: Int) throws {
        struct Row: Equatable {
            var color = "none"
            var rank: Int64 = 0
            var notes: Set<String> = []
        }
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        var rows: [String: Row] = [:]
        var kept: [Tag] = []
        var context = context
        var numberOfNotes = 0
        for _ in 0..<6 {
            if Bool.random(using: &generator) { context = container.newContext() }
            let policy = Self.policies[Int.random(in: 0..<4, using: &generator)].0
            context.mergePolicy = policy
            // Objects of some rows stay in memory.
            kept = try context.fetch(FetchRequest<Tag>()).filter { _ in Bool.random(using: &generator) }
            for tag in kept { _ = tag.color }
            for _ in 0..<Int.random(in: 1..<12, using: &generator) {
                let name = "\(Int.random(in: 0..<8, using: &generator))"
                let new = tag(name, in: context)
                var given = Row()
                if Bool.random(using: &generator) {
                    given.color = ["red", "blue", "none"].randomElement(using: &generator)!
                    new.color = given.color
                }
                if Bool.random(using: &generator) {
                    given.rank = Int64.random(in: 0..<3, using: &generator)
                    new.rank = given.rank
                }
                let note = Note(context: context)
                numberOfNotes += 1
                note.text = "\(numberOfNotes)"
                note.tag = new
                if var row = rows[name] {
                    switch policy {
                    case .contextWins: (row.color, row.rank) = (given.color, given.rank)
                    case .propertyByProperty(.context):
                        if given.color != "none" { row.color = given.color }
                        if given.rank != 0 { row.rank = given.rank }
                    default: break
                    }
                    row.notes.insert(note.text)
                    rows[name] = row
                } else {
                    given.notes = [note.text]
                    rows[name] = given
                }
            }
            try context.save()
            for source in [context, container.newContext()] {
                let tags = try source.fetch(FetchRequest<Tag>())
                #expect(tags.count == rows.count, "seed \(seed)")
                for tag in tags {
                    let shown = Row(color: tag.color, rank: tag.rank, notes: Set(tag.notes.map(\.text)))
                    #expect(shown == rows[tag.name ?? ""], "seed \(seed)")
                    #expect(!tag.isDeleted)
                }
            }
            #expect(kept.allSatisfy { !$0.isDeleted }, "seed \(seed)")
        }
    }
}
