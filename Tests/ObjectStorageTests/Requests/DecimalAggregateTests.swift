import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// Decimals are stored as texts, whose order differs from that of the numbers.
@Suite struct DecimalAggregateTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let parent: Price

    init() throws {
        container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Price.self))
        context = container.newContext()
        parent = Price(context: context)
        for (amount, count) in [(Decimal(9), 1), (100, 2), (10, 2), (-20, 1)] {
            let price = Price(context: context)
            (price.amount, price.count, price.parent) = (amount, Int64(count), parent)
        }
        try context.save()
    }

    @Test(arguments: [
        ("children.@max.amount > 50", true), ("children.@max.amount > 500", false),
        ("children.@max.amount == 100", true), ("children.@max.amount == '1e2'", true),
        ("50 < children.@max.amount", true), ("500 < children.@max.amount", false),
        ("children.@min.amount < 0", true), ("children.@min.amount == -20", true),
        ("children.@min.amount BETWEEN {-20, -19.5}", true), ("children.@min.amount IN {9, 10}", false),
        ("children.@min.amount < children.@max.amount", true),
    ])
    func `minimum and maximum of related objects compare as numbers, in SQL and in memory`(
        format: String, expected: Bool
    ) throws {
        let predicate = try FetchRequest<Price>.Predicate(format: format)
        let request = FetchRequest<Price>(predicate: predicate)
        #expect(try context.fetch(request).contains(parent) == expected)
        #expect(try predicate.evaluate(with: parent) == expected)
    }

    @Test func `groups are filtered and ordered by numeric values`() throws {
        func counts(_ condition: GroupCondition<Price>) throws -> [StoredValue?] {
            try context.fetchDictionaries(
                FetchRequest<Price>(predicate: \.count > 0), properties: ["count"], groupedBy: ["count"],
                having: condition
            ).map { $0["count"] }
        }
        #expect(try counts(.sum(\.amount) > 100) == [.integer(2)])
        #expect(try counts(.sum(\.amount) < 0) == [.integer(1)])
        #expect(try counts(.max(\.amount) <= 9) == [.integer(1)])
        #expect(try counts(.min(\.amount) >= "1e1") == [.integer(2)])
        #expect(throws: ObjectStorageError.self) { try counts(.max(\.amount) > "many") }
        let some = FetchRequest<Price>(predicate: \.amount != nil)
        #expect(try context.fetchDistinctValues(of: \.amount, in: some) == [-20, 9, 10, 100])
        let groups = try context.fetchDictionaries(some, properties: ["amount"], groupedBy: ["amount"])
        #expect(groups.map { $0["amount"] } == ["-20", "9", "10", "100"])
    }

    @Test func `a list of values may have any number of nils`() throws {
        let nils = [Decimal?](repeating: nil, count: 5_000)
        let request = FetchRequest<Price>(predicate: .isIn(\.amount, nils + [9]))
        #expect(try context.count(for: request) == 2)
        let others = FetchRequest<Price>(predicate: !.isIn(\.amount, nils))
        #expect(try context.count(for: others) == 4)
    }

    @Test func `a number with an extreme exponent is a typed error`() throws {
        let extreme = "1e-9223372036854775808"
        #expect(throws: ObjectStorageError.self) {
            try Price(context: context).setValue(.text(extreme), forProperty: "amount")
        }
        context.rollback()
        #expect(throws: ObjectStorageError.self) {
            try context.fetch(FetchRequest<Price>(predicate: .init(format: "amount == '\(extreme)'")))
        }
        let directory = try TemporaryDirectory()
        let url = directory.file("prices.sqlite")
        let model = try ManagedObjectModel(types: Price.self)
        let stored = try PersistentContainer(url: url, model: model)
        try stored.newContext().batchInsert(Price.self, rows: [["amount": "5"]])
        try Library.runElsewhere("INSERT INTO Price (amount, count) VALUES ('\(extreme)', 0)", path: url.path)
        let reading = stored.newContext()
        let prices = try reading.fetch(FetchRequest<Price>(sortDescriptors: [.ascending(\.amount)]))
        #expect(prices.map(\.amount) == [nil, 5])
        #expect(prices.map(\.readError?.code) == [.invalidValue, nil])
    }
}
