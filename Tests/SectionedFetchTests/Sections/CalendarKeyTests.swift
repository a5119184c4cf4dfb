import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// Sections by days, weeks, quarters and decades.
@Suite struct CalendarKeyTests {
    let catalogue: Catalogue
    let context: ManagedObjectContext

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
    }

    private typealias Parts = (year: Int, month: Int, day: Int, weekYear: Int, week: Int)

    /// The keys with the expected names of a date.
    private static let keys: [(name: String, make: @Sendable (TimeZone) -> KeyExpression)] = [
        ("day", { .day(of: \Artwork.added, in: $0) }), ("week", { .week(of: \Artwork.added, in: $0) }),
        ("quarter", { .quarter(of: \Artwork.added, in: $0) }),
        ("decade", { .decade(of: \Artwork.added, in: $0) }),
        ("month", { .month(of: \Artwork.added, in: $0) }), ("year", { .year(of: \Artwork.added, in: $0) }),
    ]

    private static func name(_ key: String, _ parts: Parts) -> String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(abs(number))
            return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count))
                + digits
        }
        let year = padded(parts.year, 4)
        return switch key {
        case "day": "\(year)-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
        case "week": "\(padded(parts.weekYear, 4))-W\(padded(parts.week, 2))"
        case "quarter": "\(year)-Q\([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][parts.month - 1])"
        case "decade": "\(Int((Double(parts.year) / 10).rounded(.down)) * 10)s"
        case "month": "\(year)-\(padded(parts.month, 2))"
        default: String(parts.year)
        }
    }

    /// Returns the parts of a date in Foundation's ISO 8601 calendar, an independent implementation. Dates
    /// are moved by whole cycles of 400 years, which have a whole number of weeks, into the years after 2000.
    private static func parts(of date: Date, in timeZone: TimeZone, cycles: Int = 0) -> Parts {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = timeZone
        let moved = date - Double(cycles) * 146_097 * 86_400
        let parts = calendar.dateComponents(
            [.year, .month, .day, .yearForWeekOfYear, .weekOfYear], from: moved)
        return (
            (parts.year ?? 0) + 400 * cycles, parts.month ?? 0, parts.day ?? 0,
            (parts.yearForWeekOfYear ?? 0) + 400 * cycles, parts.weekOfYear ?? 0
        )
    }

    private func check(_ dates: [Date], in timeZone: TimeZone, _ parts: (Date) -> Parts) throws {
        for date in dates { Artwork(context: context).added = date }
        Artwork(context: context).added = nil
        try context.save()
        for key in Self.keys {
            let expression = key.make(timeZone)
            let counts = Dictionary(grouping: dates) { Self.name(key.name, parts($0)) }.mapValues(\.count)
            let names = dates.sorted().map { Self.name(key.name, parts($0)) }
            var distinct = names.reduce(into: [""]) { if $0.last != $1 { $0.append($1) } }
            for isAscending in [true, false] {
                // By the date, and by the key itself.
                for sorting in [KeyExpression.path("added"), expression] {
                    let controller = try FetchedResultsController(
                        fetchRequest: FetchRequest<Artwork>(sortDescriptors: [
                            isAscending ? .ascending(sorting) : .descending(sorting)
                        ]),
                        context: context, sectionNameKeyPath: SectionKey(expression),
                        cacheStore: catalogue.caches)
                    try controller.performFetch()
                    #expect(
                        controller.outline == distinct.map { "\($0):\(counts[$0] ?? 1)" }, "\(expression)")
                }
                distinct.reverse()
            }
        }
    }

    @Test(arguments: ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Europe/Berlin"])
    func `units equal those of Foundation's calendar, even around clock changes`(zone: String) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let timeZone = try #require(TimeZone(identifier: zone))
        var dates = (0..<300).map { _ in
            Date(timeIntervalSinceReferenceDate: .random(in: -3.0e9...3.0e9, using: &generator))
        }
        for _ in 0..<20 {
            let date = Date(timeIntervalSinceReferenceDate: .random(in: -1.0e9...1.0e9, using: &generator))
            guard let change = timeZone.nextDaylightSavingTimeTransition(after: date) else { break }
            dates += (-26...26).map { change + TimeInterval($0 * 3_600 - 1) }
        }
        // The turns of years, at which a week can belong to either year.
        for year in 0..<30 {
            dates += (-4...4).map {
                Date(timeIntervalSinceReferenceDate: Double(year * 31_556_952 + $0 * 86_400))
            }
        }
        try check(dates, in: timeZone) { Self.parts(of: $0, in: timeZone) }
    }

    @Test func `units equal those of the proleptic calendar for all years`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let dates = (0..<300).map { _ in
            Date(timeIntervalSinceReferenceDate: .random(in: -1.5e11...3.0e11, using: &generator))
        }
        try check(dates, in: .gmt) { date in
            let cycles = Int((date.timeIntervalSinceReferenceDate / (146_097 * 86_400)).rounded(.down))
            return Self.parts(of: date, in: .gmt, cycles: cycles)
        }
    }

    /// The values are those of Python's `datetime`; that of the year 0 is one of the year 400.
    @Test(arguments: [
        (731_375_999.0, "2024-03-05", "2024-W10", "2024-Q1", "2020s"),
        (631_411_199, "2021-01-03", "2020-W53", "2021-Q1", "2020s"),
        (567_993_599, "2018-12-31", "2019-W01", "2018-Q4", "2010s"),
        (-31_536_001, "2000-01-01", "1999-W52", "2000-Q1", "2000s"),
        (-978_220_801, "1970-01-01", "1970-W01", "1970-Q1", "1970s"),
        (-31_622_401, "1999-12-31", "1999-W52", "1999-Q4", "1990s"),
        (-13_197_945_601, "1582-10-10", "1582-W40", "1582-Q4", "1580s"),
        (-62_829_907_201, "0009-12-31", "0009-W53", "0009-Q4", "0s"),
        (-63_140_342_401, "0000-02-29", "0000-W09", "0000-Q1", "0s"),
        (252_423_993_599, "9999-12-31", "9999-W52", "9999-Q4", "9990s"),
    ])
    func `known dates have known units`(
        seconds: Double, day: String, week: String, quarter: String, decade: String
    ) throws {
        Artwork(context: context).added = Date(timeIntervalSinceReferenceDate: seconds)
        try context.save()
        let names = try Self.keys.prefix(4).map { key in
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)]), context: context,
                sectionNameKeyPath: SectionKey(key.make(.gmt)), cacheStore: catalogue.caches)
            try controller.performFetch()
            return controller.outline
        }
        #expect(names == [day, week, quarter, decade].map { ["\($0):1"] })
    }

    @Test func `a declared unit has a name for every number`() throws {
        let numbers: [Int64] = [.min, -1, 0, .max]
        for key in Self.keys {
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)]), context: context,
                sectionNameKeyPath: SectionKey(key.make(.gmt)).declaring(numbers.map { DeclaredSection($0) }),
                cacheStore: catalogue.caches)
            try controller.performFetch()
            #expect(controller.sections?.count == numbers.count)
        }
    }

    @Test func `a key with another time zone or unit makes a different request`() throws {
        Artwork(context: context).added = Date(timeIntervalSinceReferenceDate: 0)
        try context.save()
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)])
        let apia = try #require(TimeZone(identifier: "Pacific/Apia"))
        func look(_ key: SectionKey) throws -> MissReason? {
            let controller = try catalogue.restarted(request, by: key)
            try controller.performAndSettle()
            return controller.missReason
        }
        for key in [
            SectionKey.day(of: "added", in: .gmt), .week(of: "added", in: .gmt), .day(of: "added", in: apia),
        ] {
            #expect(try look(key) != nil)
            #expect(try look(key) == nil)
        }
        #expect(try look(.day(of: "added", in: .gmt)) == nil)
        #expect(throws: ObjectStorageError.self) { try look(.day(of: "title", in: .gmt)) }
    }
}
