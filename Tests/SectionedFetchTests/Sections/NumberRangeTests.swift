import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// Sections by ranges of numbers.
@Suite struct NumberRangeTests {
    private final class Sample: ManagedObject {
        override class var entityName: String { "Sample" }
        @Attribute var short: Int16?
        @Attribute var whole: Int64?
        @Attribute var real: Double?
        @Attribute var single: Float?
        @Attribute var exact: Decimal?
        @Attribute var text: String?
    }

    private let context: ManagedObjectContext

    init() throws {
        context = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Sample.self)).newContext()
    }

    private func outline(_ path: String, _ key: SectionKey, descending: Bool = false, byKey: Bool = false)
        throws
        -> [String]
    {
        let sorting = byKey ? key.expression : .path(path)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Sample>(sortDescriptors: [
                descending ? .descending(sorting) : .ascending(sorting)
            ]),
            context: context, sectionNameKeyPath: key)
        try controller.performFetch()
        return controller.outline
    }

    /// Returns the sections of numbers in thousandths, each with the name of its range; nil comes first.
    private func expected(_ thousandths: [Int?], _ name: (Int) -> String) -> [String] {
        let names = thousandths.sorted { ($0 ?? .min) < ($1 ?? .min) }.map { $0.map(name) ?? "" }
        return names.reduce(into: [(String, Int)]()) { groups, name in
            if groups.last?.0 == name { groups[groups.count - 1].1 += 1 } else { groups.append((name, 1)) }
        }.map { "\($0.0):\($0.1)" }
    }

    private func decimal(_ thousandths: Int) -> String { (Decimal(thousandths) / 1_000).description }

    private func check(_ key: (String) -> SectionKey, _ numbers: [Int?], _ name: (Int) -> String) throws {
        for path in ["whole", "short", "real", "exact"] {
            let isWhole = path == "whole" || path == "short"
            let seen = numbers.map { number in
                isWhole ? number.map { Int((Double($0) / 1_000).rounded(.down)) * 1_000 } : number
            }
            let sections = expected(seen, name)
            for byKey in [false, true] {
                #expect(try outline(path, key(path), byKey: byKey) == sections, "\(key(path))")
                let reversed = try outline(path, key(path), descending: true, byKey: byKey)
                #expect(reversed == sections.reversed(), "\(key(path))")
            }
        }
    }

    private func fill(_ numbers: [Int?]) throws {
        for number in numbers {
            let sample = Sample(context: context)
            guard let number else { continue }
            sample.whole = Int64((Double(number) / 1_000).rounded(.down))
            sample.short = Int16((Double(number) / 1_000).rounded(.down))
            // The quotient is the double that is nearest to the decimal number.
            sample.real = Double(number) / 1_000
            sample.exact = Decimal(number) / 1_000
        }
        try context.save()
    }

    private func numbers(_ generator: inout SeededGenerator, near unit: Int) -> [Int?] {
        (0..<200).map { _ in
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: nil
            // The bounds of ranges and their neighbours.
            case 1...4:
                Int.random(in: -40...40, using: &generator) * unit + Int.random(in: -1...1, using: &generator)
            case 5...7: Int.random(in: -5_000...5_000, using: &generator)
            default: Int.random(in: -30_000_000...30_000_000, using: &generator)
            }
        }
    }

    @Test(arguments: [1_000, 10_000, 100, 250, 3_000, 10, 700, 7])
    func `ranges of equal length agree with integer arithmetic`(thousandths: Int) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let numbers = numbers(&generator, near: thousandths)
        try fill(numbers)
        try check({ .range(of: $0, step: Decimal(thousandths) / 1_000) }, numbers) { number in
            let rest = (number % thousandths + thousandths) % thousandths
            return "\(decimal(number - rest)) to \(decimal(number - rest + thousandths))"
        }
    }

    @Test func `ranges between bounds agree with a linear search`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let numbers = numbers(&generator, near: 1_000)
        try fill(numbers)
        for unit in [1_000, 100, 1] {
            for count in [1, 2, 7, 40] {
                let bounds = Set((0..<count).map { _ in Int.random(in: -40...40, using: &generator) * unit })
                let key = bounds.shuffled(using: &generator).map { Decimal($0) / 1_000 }
                try check({ .range(of: $0, bounds: key) }, numbers) { number in
                    let below = bounds.filter { $0 <= number }.max()
                    let above = bounds.filter { $0 > number }.min()
                    return switch (below, above) {
                    case (let below?, let above?): "\(decimal(below)) to \(decimal(above))"
                    case (nil, let above?): "below \(decimal(above))"
                    default: "\(decimal(below!)) and above"
                    }
                }
            }
        }
    }

    @Test func `decimals of 38 digits are in the ranges of their exact values`() throws {
        for text in [
            "0.29999999999999999999999999999999999999", "0.3", "0.30000000000000000000000000000000000001",
        ] {
            Sample(context: context).exact = Decimal(string: text)
        }
        try context.save()
        let sections = ["0.2 to 0.3:1", "0.3 to 0.4:2"]
        #expect(try outline("exact", .range(of: \Sample.exact, step: 0.1)) == sections)
        #expect(try outline("exact", .range(of: \Sample.exact, bounds: [0.2, 0.3, 0.4])) == sections)
    }

    @Test func `infinite and huge numbers are in the last and the first range`() throws {
        let reals = [
            Double.infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, 1e15, 0,
        ]
        for real in reals { Sample(context: context).real = real }
        for whole in [Int64.min, .max, 0, -1, .max - 1] { Sample(context: context).whole = whole }
        try context.save()
        let nils = reals.count
        for step: Decimal in [10, 0.5, 1_000_000_000_000_000_000, Decimal(Int64.max)] {
            for path in ["real", "whole"] {
                let sections = try outline(path, .range(of: path, step: step))
                #expect(Set(sections).count == sections.count)
                #expect(sections.first == ":\(path == "real" ? 5 : nils)")
                let reversed = try outline(path, .range(of: path, step: step), descending: true)
                #expect(reversed == sections.reversed())
                #expect(try outline(path, .range(of: path, step: step), byKey: true) == sections)
            }
        }
        #expect(
            try outline("real", .range(of: \Sample.real, step: 10)) == [
                ":5", "below -10000000000000000:2", "-10 to 0:1", "0 to 10:2",
                "1000000000000000 to 1000000000000010:1", "10000000000000000 and above:3",
            ])
        let bounds = [Decimal(Int64.min), Decimal(Int64.max)]
        let whole = try outline("whole", .range(of: \Sample.whole, bounds: bounds))
        #expect(
            whole == [
                ":9", "-9223372036854775808 to 9223372036854775807:4", "9223372036854775807 and above:1",
            ])
        #expect(
            try outline("real", .range(of: \Sample.real, bounds: [0])) == [
                ":5", "below 0:3", "0 and above:6",
            ])
    }

    @Test func `a literal with a fraction has exactly its written value`() throws {
        for real in [0.1, 0.2, 0.3, 0.7, 0.29, 1.1] { Sample(context: context).real = real }
        try context.save()
        #expect(
            try outline("real", .range(of: \Sample.real, step: 0.1)) == [
                "0.1 to 0.2:1", "0.2 to 0.3:2", "0.3 to 0.4:1", "0.7 to 0.8:1", "1.1 to 1.2:1",
            ])
        #expect(
            try outline("real", .range(of: \Sample.real, bounds: [0.3, 1.1])) == [
                "below 0.3:3", "0.3 to 1.1:2", "1.1 and above:1",
            ])
        // The nearest Float of 0.7 is below 0.7, and that of 0.3 is above 0.3.
        for single: Float in [0.3, 0.7, 1, .infinity] { Sample(context: context).single = single }
        try context.save()
        #expect(
            try outline("single", .range(of: \Sample.single, step: 0.1)) == [
                ":6", "0.3 to 0.4:1", "0.7 to 0.8:1", "1 to 1.1:1", "100000000000000 and above:1",
            ])
        #expect(
            try outline("single", .range(of: \Sample.single, bounds: [0.3, 0.7])) == [
                ":6", "0.3 to 0.7:1", "0.7 and above:3",
            ])
    }

    @Test func `the key of a section is the lower bound of its range`() throws {
        for (whole, exact) in [(15, Decimal(1.5)), (-3, -0.25)] {
            let sample = Sample(context: context)
            (sample.whole, sample.exact) = (Int64(whole), exact)
        }
        try context.save()
        let key = SectionKey.range(of: \Sample.whole, step: 10).declaring([10, 20])
        #expect(try outline("whole", key, byKey: true) == ["10 to 20:1", "20 to 30:0", "-10 to 0:1"])
        let quarters = SectionKey.range(of: \Sample.exact, step: 0.5).declaring([
            DeclaredSection(1.5), DeclaredSection(2.0),
        ])
        #expect(try outline("exact", quarters, byKey: true) == ["1.5 to 2:1", "2 to 2.5:0", "-0.5 to 0:1"])
    }

    @Test(arguments: [
        (SectionKey.range(of: "real", step: 0), "the step 0 is not above 0"),
        (.range(of: "real", step: -1), "the step -1 is not above 0"),
        (.range(of: "real", step: .nan), "is not above 0"),
        (.range(of: "real", bounds: []), "there are no bounds"),
        (.range(of: "real", bounds: [1, .nan]), "a bound is not a number"),
        (.range(of: "text", step: 1), "“text” is of type string, not a number"),
    ])
    func `ranges that cannot be computed are an error with the reason`(key: SectionKey, words: String) throws
    {
        #expect {
            try outline("real", key)
        } throws: { "\($0)".contains(words) }
    }

    @Test func `other bounds make a different request`() throws {
        let catalogue = try Catalogue()
        let other = catalogue.container.newContext()
        for year: Int32 in [1_949, 1_950, 1_999, 2_000] { Artwork(context: other).year = year }
        try other.save()
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.year)])
        func look(_ key: SectionKey) throws -> (outline: [String], reason: MissReason?) {
            let controller = try catalogue.restarted(request, by: key)
            try controller.performAndSettle()
            return (controller.outline, controller.missReason)
        }
        let key = SectionKey.range(of: \Artwork.year, bounds: [1_950, 1_980, 2_000])
        #expect(
            try look(key).outline == ["below 1950:1", "1950 to 1980:1", "1980 to 2000:1", "2000 and above:1"])
        #expect(try look(.range(of: "year", bounds: [2_000, 1_980, 1_950.0])).reason == nil)
        let later = try look(.range(of: \Artwork.year, bounds: [1_950, 1_980]))
        #expect(later.reason == .requestChanged(parts: ["section"]))
        #expect(later.outline == ["below 1950:1", "1950 to 1980:1", "1980 and above:2"])
        #expect(try look(.range(of: \Artwork.year, step: 10)).reason == .requestChanged(parts: ["section"]))
        try catalogue.runElsewhere("UPDATE Artwork SET year = 1980 WHERE year = 1950")
        let advanced = try catalogue.restarted(request, by: key)
        try advanced.performFetch()
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.outline == ["below 1950:1", "1980 to 2000:2", "2000 and above:1"])
        advanced.settle()
        #expect(try advanced.verifyCache() == .equal(sections: 3, rows: 4))
    }
}
