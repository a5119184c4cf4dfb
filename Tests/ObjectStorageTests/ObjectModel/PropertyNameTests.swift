import Foundation
import ObjectStorage
import Testing

/// Names with accents can be written in several ways, which are the same text in Swift, and not the same
/// column in SQLite.
@Suite struct `Names that are written in another form` {
    private static let stored = "pre\u{301}nom"
    private static let asked = "pr\u{E9}nom"

    @Test func `lead to the property that the model has`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [AttributeDescription(name: Self.stored, type: .string, isOptional: true)])
        ])
        let container = try PersistentContainer(inMemoryWith: model)
        let context = container.newContext()
        for name in ["b", "a"] {
            let object = try context.insert(entityNamed: "Person")
            try object.setValue(.text(name), forProperty: Self.asked)
        }
        try context.save()
        let request = FetchRequest<ManagedObject>(
            entityName: "Person", predicate: try .init(format: "\(Self.asked) != 'c'"),
            sortDescriptors: [.ascending(KeyExpression(stringLiteral: Self.asked))])
        let names = try context.fetch(request).map { try $0.value(forProperty: Self.asked) }
        #expect(names == [.text("a"), .text("b")])
        let rows = try context.fetchDictionaries(request)
        #expect(rows.map { $0[Self.stored] } == [.text("a"), .text("b")])
    }
}

/// A property that is asked for what the other kind has.
@Suite struct `Properties of the other kind` {
    @Test func `are named as what they are, with the function that takes them`() throws {
        let context = try Library().container.newContext()
        let work = Work(context: context)
        let value = #expect(throws: ObjectStorageError.self) {
            try work.setValue(.integer(1), forProperty: "author")
        }
        #expect(value?.code == .unknownProperty)
        #expect(value?.message.contains("“Work.author” is a relationship") == true)
        let object = #expect(throws: ObjectStorageError.self) {
            try work.setRelatedObject(nil, forRelationship: "title")
        }
        #expect(object?.message.contains("“Work.title” is an attribute") == true)
    }
}

/// Key paths that go on from a property to something that only Swift can compute.
@Suite struct `Key paths that compute` {
    @Test func `trap where the type shows it`() async {
        await #expect(processExitsWith: .failure) { _ = KeyExpression.path(\Work.title.count) }
        await #expect(processExitsWith: .failure) {
            _ = KeyExpression.path(\Work.added?.timeIntervalSince1970)
        }
        // A type that no attribute can have.
        await #expect(processExitsWith: .failure) { _ = KeyExpression.path(\Work.title.first) }
        await #expect(processExitsWith: .failure) {
            _ = FetchRequest<Work>(predicate: \.title.count > 3)
        }
        #expect(KeyExpression.path(\Work.title) == "title")
        #expect(KeyExpression.path(\Work.added) == "added")
        #expect(KeyExpression.path(\Work.genre.rawValue) == "genre")
        #expect(KeyExpression.path(\Work.author?.name) == "author.name")
    }
}
