import Foundation
import ObjectStorage
import CheckSupport
import Testing

@Suite struct DecimalOrderTests {
    /// Returns a random number of any size; many of them are close to each other.
    private static func decimal(using generator: inout SeededGenerator) -> Decimal {
        let digits = String(
            (0..<Int.random(in: 1...38, using: &generator)).map { _ in
                "0123456789".randomElement(using: &generator)!
            })
        let significand = Decimal(string: Bool.random(using: &generator) ? digits : String(digits.prefix(2)))!
        return Decimal(
            sign: Bool.random(using: &generator) ? .plus : .minus,
            exponent: Int.random(in: Bool.random(using: &generator) ? -3...3 : -60...60, using: &generator),
            significand: significand)
    }

    @Test func `decimals sort and compare as numbers, in SQL and in memory`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Price.self))
        let context = container.newContext()
        let amounts = (0..<200).map { _ in Self.decimal(using: &generator) }
        let prices = amounts.map { amount in
            let price = Price(context: context)
            price.amount = amount
            price.count = Int64.random(in: -5...5, using: &generator)
            return price
        }
        Price(context: context).amount = nil
        try context.save()
        let sorted = FetchRequest<Price>(
            predicate: \.amount != nil, sortDescriptors: [.ascending(\.amount)])
        #expect(try context.fetch(sorted).map(\.amount) == amounts.sorted(), "seed \(seed)")
        for bound in amounts.prefix(40) + [0, 1, -1] {
            let predicates: [(FetchRequest<Price>.Predicate, (Decimal) -> Bool)] = [
                (\.amount < bound, { $0 < bound }), (\.amount >= bound, { $0 >= bound }),
                (\.amount == bound, { $0 == bound }),
                (try .init(format: "amount > %@", bound), { $0 > bound }),
                (try .init(format: "%@ <= amount", bound), { bound <= $0 }),
                (.isIn(\.amount, [bound, bound + 1]), { $0 == bound || $0 == bound + 1 }),
                (
                    .isBetween(\.amount, min(bound, 3)...max(bound, 3)),
                    { (min(bound, 3)...max(bound, 3)).contains($0) }
                ),
            ]
            for (predicate, oracle) in predicates {
                let expected = Set(zip(amounts, prices).filter { oracle($0.0) }.map(\.1))
                #expect(
                    try Set(context.fetch(FetchRequest<Price>(predicate: predicate))) == expected,
                    "\(predicate), seed \(seed)")
                for price in prices {
                    #expect(
                        try predicate.evaluate(with: price) == expected.contains(price),
                        "\(predicate), seed \(seed)")
                }
            }
        }
    }

    @Test func `a decimal compares with numbers of other attributes and of related objects`() throws {
        let context = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Price.self))
            .newContext()
        let parent = Price(context: context)
        parent.amount = 2
        parent.count = 2
        for amount in ["1.5", "2.00", "30"] {
            let child = Price(context: context)
            try child.setValue(.text(amount), forProperty: "amount")
            child.parent = parent
        }
        try context.save()
        func count(_ format: String) throws -> Int {
            let predicate = try FetchRequest<Price>.Predicate(format: format)
            let fetched = try context.fetch(FetchRequest<Price>(predicate: predicate))
            for price in try context.fetch(FetchRequest<Price>()) {
                #expect(try predicate.evaluate(with: price) == fetched.contains(price), "\(format)")
            }
            return fetched.count
        }
        #expect(try count("amount == count") == 1)
        #expect(try count("count == amount") == 1)
        #expect(try count("ANY children.amount > 9") == 1)
        #expect(try count("ANY children.amount > 30.5") == 0)
        #expect(try count("ALL children.amount > 1.49 AND children.@count > 0") == 1)
        #expect(try count("SUBQUERY(children, $c, $c.amount >= 2).@count == 2") == 1)
        #expect(try count("2 IN children.amount") == 1)
        #expect(try count("parent.amount == \"2.0\"") == 3)
        #expect(try count("amount IN {1.5, 30}") == 2)
        #expect(throws: ObjectStorageError.self) { try count("amount == \"many\"") }
        #expect(throws: ObjectStorageError.self) { try count("amount + 1 == 2") }
    }

    @Test func `decimals that another program wrote are compared by their values`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("prices.sqlite")
        let context = try PersistentContainer(url: url, model: ManagedObjectModel(types: Price.self))
            .newContext()
        _ = Price(context: context)
        try context.save()
        try Library.runElsewhere(
            "INSERT INTO Price (amount, count) VALUES ('9.90', 0), (10, 0), ('1e1', 0), ('x', 0)",
            path: url.path)
        let request = FetchRequest<Price>(predicate: \.amount == 10)
        #expect(try context.count(for: request) == 2)
        let sorted = try context.fetch(
            FetchRequest<Price>(predicate: \.amount > 0, sortDescriptors: [.descending(\.amount)]))
        #expect(sorted.map(\.amount) == [10, 10, Decimal(string: "9.9")])
    }

    @Test func `sums of decimals are exact, and minimum and maximum compare as numbers`() throws {
        let context = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Price.self))
            .newContext()
        for amount in ["0.1", "0.2", "-9", "10", "9.95", "12345678901234567890.000000000001"] {
            try Price(context: context).setValue(.text(amount), forProperty: "amount")
        }
        try context.save()
        let all = FetchRequest<Price>()
        #expect(try context.aggregate(.sum("amount"), of: all) == "12345678901234567901.250000000001")
        #expect(try context.aggregate(.min("amount"), of: all) == "-9")
        #expect(try context.aggregate(.max("amount"), of: all) == "12345678901234567890.000000000001")
        try Price(context: context).setValue(
            .text("0." + String(repeating: "0", count: 36) + "1"), forProperty: "amount")
        try context.save()
        #expect(throws: ObjectStorageError.self) { try context.aggregate(.sum("amount"), of: all) }
        #expect(try context.aggregate(.min("amount"), of: all) == "-9")
    }
}
