import Foundation
import ObjectStorage
import Testing

/// Names with accents have several spellings, which are equal texts in Swift and different columns in SQLite.
@Suite struct PropertyNameTests {
    private static let stored = "pre\u{301}nom"
    private static let asked = "pr\u{E9}nom"

    @Test func `a name in another Unicode form refers to the model's property`() throws {
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

/// Properties that are accessed as the other kind: attributes as relationships, and the reverse.
@Suite struct PropertyKindTests {
    @Test func `an access as the other kind is an error that names the property's kind`() throws {
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

/// Key paths that continue from a property to a value that only Swift can compute.
@Suite struct ComputedKeyPathTests {
    @Test func `a key path to a computed value traps if its type shows it`() async {
        await #expect(processExitsWith: .failure) { _ = KeyExpression.path(\Work.title.count) }
        await #expect(processExitsWith: .failure) {
            _ = KeyExpression.path(\Work.added?.timeIntervalSince1970)
        }
        // No attribute can have this type.
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
