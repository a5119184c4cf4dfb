import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Orders by values that are computed from related objects, compared with values computed in Swift.
@Suite struct AggregateKeyTests {
    final class Owner: ManagedObject {
        @Attribute var name: String = ""
        @Relationship var things: Set<Thing>
        @Relationship var tags: Set<Mark>
    }

    final class Thing: ManagedObject {
        @Attribute var weight: Double?
        @Attribute var price: Decimal?
        @Attribute var made: Date?
        @Attribute var label: String?
        @Transformable var shape: [Int]?
        @Relationship(inverse: \Owner.things) var owner: Owner?
    }

    final class Mark: ManagedObject {
        @Attribute var word: String = ""
        @Relationship(inverse: \Owner.tags) var owners: Set<Owner>
    }

    let context: ManagedObjectContext
    let owners: [Owner]

    init() throws {
        let model = try ManagedObjectModel(types: Owner.self, Thing.self, Mark.self)
        context = try PersistentContainer(inMemoryWith: model).newContext()
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        let context = context
        let marks = (0..<4).map { _ in Mark(context: context) }
        owners = (0..<30).map { number in
            let owner = Owner(context: context)
            owner.name = "\(number)"
            owner.tags = Set(marks.shuffled(using: &generator).prefix(number % 5))
            for _ in 0..<Int.random(in: 0..<5, using: &generator) {
                let thing = Thing(context: context)
                thing.owner = owner
                if Bool.random(using: &generator) {
                    thing.weight = Double.random(in: -9...9, using: &generator)
                }
                thing.price = Decimal(Int.random(in: -999...999, using: &generator)) / 100
                thing.made = Date(timeIntervalSinceReferenceDate: Double.random(in: 0...9, using: &generator))
                thing.label = ["b", "a", "c"].randomElement(using: &generator)
            }
            return owner
        }
        try context.save()
    }

    /// Checks that an order by an expression is that of values computed in Swift, with missing values first.
    private func check<Value: Comparable>(
        _ expression: KeyExpression, _ value: (Owner) -> Value?, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try context.fetch(
            FetchRequest<Owner>(sortDescriptors: [.ascending(expression), .ascending("objectID")]))
        let expected = owners.sorted { first, second in
            switch (value(first), value(second)) {
            case (nil, nil): (first.objectID.primaryKey ?? 0) < (second.objectID.primaryKey ?? 0)
            case (nil, _): true
            case (_, nil): false
            case (let a?, let b?):
                a == b ? (first.objectID.primaryKey ?? 0) < (second.objectID.primaryKey ?? 0) : a < b
            }
        }
        #expect(found.map(\.name) == expected.map(\.name), sourceLocation: location)
        let descending = try context.fetch(
            FetchRequest<Owner>(sortDescriptors: [.descending(expression), .descending("objectID")]))
        #expect(descending.map(\.name) == expected.reversed().map(\.name), sourceLocation: location)
    }

    @Test func `owners are sorted by each function of their things`() throws {
        try check(.count(of: \Owner.things)) { $0.things.count }
        try check("tags.@count") { $0.tags.count }
        try check(.maximum(of: \Thing.weight, in: \Owner.things)) { $0.things.compactMap(\.weight).max() }
        try check(.minimum(of: \Thing.label, in: \Owner.things)) { $0.things.compactMap(\.label).min() }
        try check("things.@max.made") { $0.things.compactMap(\.made).max() }
        try check("things.@min.price") { $0.things.compactMap(\.price).min() }
        try check(.sum(of: "price", in: "things")) { $0.things.compactMap(\.price).reduce(0, +) }
        try check("things.@avg.weight") { owner in
            let weights = owner.things.compactMap(\.weight)
            return weights.isEmpty ? nil : weights.sorted().reduce(0, +) / Double(weights.count)
        }
    }

    @Test func `unsaved changes affect the order`() throws {
        let owner = owners[3]
        for _ in 0..<9 { Thing(context: context).owner = owner }
        context.delete(owners[4])
        let first = try context.fetch(
            FetchRequest<Owner>(sortDescriptors: [.descending(.count(of: \Owner.things))], fetchLimit: 1))
        #expect(first == [owner])
    }

    @Test(arguments: [
        "things.@median.weight", "things.@sum", "things.@count.weight", "name.@count", "@count",
        "thing.@count",
        "things.@sum.label", "things.@sum.wieght", "things.@max.shape", "things.@avg.price", "things",
        "things.weight", "things.@sum.owner",
    ])
    func `a path that is not a function of related objects is an error`(path: String) throws {
        let error = #expect(throws: ObjectStorageError.self) {
            _ = try context.fetch(
                FetchRequest<Owner>(sortDescriptors: [.ascending(KeyExpression(stringLiteral: path))]))
        }
        #expect(error?.entityName != nil && error?.message.isEmpty == false)
    }
}
