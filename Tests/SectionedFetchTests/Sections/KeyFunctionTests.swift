import Foundation
import SectionedFetch
import Synchronization
import CheckSupport
import Testing

/// Sections by keys that functions of the application compute.
@Suite struct KeyFunctionTests {
    private struct Decade: KeyFunction {
        static let name = "decade"
        static let version = 1
        func key(for year: Int32) -> Int32 { year / 10 * 10 }
    }

    /// Groups years into spans of equal length from a start year.
    private struct Span: KeyFunction {
        static let name = "span"
        static let version = 1
        var start: Int32
        var length: Int32
        func key(for year: Int32?) -> String {
            year.map { "from \(start + ($0 - start) / length * length)" } ?? "never"
        }
    }

    /// A function whose version a test changes.
    private struct Edited: KeyFunction {
        static let name = "edited"
        static let currentVersion = Atomic(1)
        static var version: Int { currentVersion.load(ordering: .relaxed) }
        func key(for title: String) -> String { Self.version == 1 ? title.lowercased() : title.uppercased() }
    }

    private struct Lowercased: KeyFunction {
        static let name = "lowercased"
        static let version = 1
        func key(for text: String) -> String { text.lowercased() }
    }

    /// A delegate that keeps the kinds of the reported events.
    private final class Listener: FetchedResultsControllerDelegate {
        var kinds: [[String]] = []

        func controller(
            _ controller: FetchedResultsController<Artwork>, didChangeContentWith change: ResultsChange
        ) {
            kinds.append(
                change.events.map {
                    switch $0 {
                    case .section(let event): "section \(event.kind)"
                    case .subsection(let event): "subsection \(event.kind)"
                    case .row(let event): "row \(event.kind)"
                    }
                })
        }
    }

    let catalogue: Catalogue
    let context: ManagedObjectContext

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
    }

    private func fill(years: [Int32?]) throws {
        for (number, year) in years.enumerated() {
            let artwork = Artwork(context: context)
            (artwork.title, artwork.year) = ("Work \(number)", year)
        }
        try context.save()
    }

    private let byYear = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.year)])

    /// Returns the expected sections, computed in Swift.
    private func outline(_ years: [Int32?]) -> [String] {
        let decades = Dictionary(grouping: years) { $0.map { $0 / 10 * 10 } }
        return decades.sorted { ($0.key ?? .min) < ($1.key ?? .min) }.map {
            "\($0.key.map(String.init) ?? ""):\($0.value.count)"
        }
    }

    @Test func `sections equal those computed in Swift, also from the cache and after an advance`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var years: [Int32?] = (0..<300).map { _ in
            Int.random(in: 0..<20, using: &generator) == 0
                ? nil : .random(in: 1_400..<2_030, using: &generator)
        }
        try fill(years: years)
        let key = SectionKey.computed(Decade(), of: \Artwork.year)
        let first = try catalogue.restarted(byYear, by: key)
        try first.performAndSettle()
        #expect(first.outline == outline(years))
        let again = try catalogue.restarted(byYear, by: .computed(Decade(), of: "year"))
        try again.performAndSettle()
        #expect(again.missReason == nil)
        #expect(again.outline == outline(years))
        for _ in 0..<5 {
            let index = Int.random(in: years.indices, using: &generator)
            years[index] = .random(in: 1_400..<2_030, using: &generator)
            try catalogue.runElsewhere(
                "UPDATE Artwork SET year = \(years[index]!) WHERE title = 'Work \(index)'")
        }
        let advanced = try catalogue.restarted(byYear, by: key)
        try advanced.performFetch()
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.outline == outline(years))
        advanced.settle()
        #expect(try advanced.verifyCache() == .equal(sections: outline(years).count, rows: 300))
    }

    @Test func `a changed value is reported in its new section`() throws {
        try fill(years: [1_901, 1_905, 1_911, nil])
        let controller = try FetchedResultsController(
            fetchRequest: byYear, context: context,
            sectionNameKeyPath: .computed(Decade(), of: \Artwork.year), cacheStore: catalogue.caches)
        let listener = Listener()
        controller.delegate = listener
        try controller.performFetch()
        #expect(controller.outline == [":1", "1900:2", "1910:1"])
        controller.object(at: IndexPath(row: 1, section: 1)).year = 1_925
        try context.processPendingChanges()
        #expect(controller.outline == [":1", "1900:1", "1910:1", "1920:1"])
        #expect(listener.kinds == [["section insertion", "row move"]])
        context.rollback()
        #expect(controller.outline == [":1", "1900:2", "1910:1"])
        try catalogue.runElsewhere("UPDATE Artwork SET year = 1912 WHERE year = 1901")
        try context.mergeChangesFromStore()
        #expect(controller.outline == [":1", "1900:1", "1910:2"])
    }

    @Test func `a function with other stored properties is another request`() throws {
        try fill(years: [1_900, 1_907, 1_914, nil])
        func look(_ span: Span) throws -> (outline: [String], reason: MissReason?) {
            let controller = try catalogue.restarted(byYear, by: .computed(span, of: \Artwork.year))
            try controller.performAndSettle()
            return (controller.outline, controller.missReason)
        }
        #expect(
            try look(Span(start: 1_900, length: 10)).outline == ["never:1", "from 1900:2", "from 1910:1"])
        let other = try look(Span(start: 1_900, length: 5))
        #expect(other.reason == .requestChanged(parts: ["section"]))
        #expect(other.outline == ["never:1", "from 1900:1", "from 1905:1", "from 1910:1"])
        #expect(try look(Span(start: 1_900, length: 10)).reason == nil)
        #expect(try look(Span(start: 1_900, length: 5)).reason == nil)
    }

    @Test func `another version of a function is another request`() throws {
        try fill(years: [nil])
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title)])
        defer { Edited.currentVersion.store(1, ordering: .relaxed) }
        func look() throws -> (outline: [String], reason: MissReason?) {
            let controller = try catalogue.restarted(request, by: .computed(Edited(), of: \Artwork.title))
            try controller.performAndSettle()
            return (controller.outline, controller.missReason)
        }
        #expect(try look().outline == ["work 0:1"])
        #expect(try look().reason == nil)
        Edited.currentVersion.store(2, ordering: .relaxed)
        let edited = try look()
        #expect(edited.reason == .requestChanged(parts: ["section"]))
        #expect(edited.outline == ["WORK 0:1"])
    }

    @Test func `declared sections, names and values of related objects can be computed`() throws {
        try fill(years: [1_901, 1_911])
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.year)])
        let declared = try catalogue.restarted(
            request, by: SectionKey.computed(Decade(), of: \Artwork.year).declaring([1_910, 1_920]))
        try declared.performFetch()
        #expect(declared.outline == ["1910:1", "1920:0", "1900:1"])
        let named = try catalogue.restarted(
            request,
            by: SectionKey("year", namedBy: .computed(Span(start: 1_900, length: 5), of: \Artwork.year)))
        try named.performFetch()
        #expect(named.outline == ["from 1900:1", "from 1910:1"])
        let artist = Artist(context: context)
        artist.name = "Ada"
        let artwork = Artwork(context: context)
        (artwork.year, artwork.artist) = (1_920, artist)
        try context.save()
        let related = try catalogue.restarted(
            FetchRequest<Artwork>(sortDescriptors: [.ascending("artist.name")]),
            by: .computed(Lowercased(), of: "artist.name"))
        try related.performFetch()
        #expect(related.outline == [":2", "ada:1"])
        #expect(throws: ObjectStorageError.self) {
            try catalogue.restarted(
                request, by: SectionKey.computed(Decade(), of: \Artwork.year).declaring(["1910"])
            ).performFetch()
        }
    }

    @Test func `triggers in the file cannot call key functions`() throws {
        try fill(years: [1_901])
        try catalogue.runElsewhere(
            "CREATE TRIGGER calling AFTER INSERT ON Artwork BEGIN UPDATE Artwork SET title = sf_key(year, 0); END"
        )
        _ = Artwork(context: context)
        #expect { try context.save() } throws: { "\($0)".contains("unsafe use of sf_key()") }
    }

    // MARK: Errors

    private struct NamedAlike: KeyFunction {
        static let name = "decade"
        static let version = 1
        func key(for year: Int32) -> Int32 { year }
    }

    private struct Unencodable: KeyFunction {
        static let name = "unencodable"
        static let version = 1
        var anything = 1
        func key(for year: Int32) -> Int32 { year }
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(anything, .init(codingPath: [], debugDescription: "no form"))
        }
    }

    @Test(arguments: [
        (SectionKey.computed(Decade(), of: "title"), "“title” is of type string, not of type integer32"),
        (.computed(Decade(), of: "artist"), "“artist” is not an attribute"),
        (.computed(Unencodable(), of: "year"), "its stored properties cannot be encoded"),
        (
            .computed(NamedAlike(), of: "year"),
            "Decade has the same name; give each type of function a different name"
        ),
    ]) func `a key that cannot be computed is an error with the reason`(key: SectionKey, words: String) throws
    {
        _ = KeyExpression.computed(Decade(), of: "year")
        #expect {
            try catalogue.restarted(byYear, by: key).performFetch()
        } throws: { "\($0)".contains(words) }
    }
}

/// Key functions in requests without a controller.
@Suite struct KeyFunctionRequestTests {
    private final class Sample: ManagedObject {
        override class var entityName: String { "Sample" }
        @Attribute var number: Int64 = 0
        @Attribute var date: Date?
        @Attribute var bytes: Data?
    }

    private struct Tenth: KeyFunction {
        static let name = "tenth"
        static let version = 1
        func key(for number: Int64) -> Decimal { Decimal(number) / 10 }
    }

    private struct Noon: KeyFunction {
        static let name = "noon"
        static let version = 1
        func key(for date: Date?) -> Date? {
            date.map {
                Date(
                    timeIntervalSinceReferenceDate: ($0.timeIntervalSinceReferenceDate / 86_400).rounded(
                        .down) * 86_400 + 43_200)
            }
        }
    }

    private struct Twice: KeyFunction {
        static let name = "twice"
        static let version = 1
        func key(for number: Int64) -> Int64 { 2 * number }
    }

    private struct Backwards: KeyFunction {
        static let name = "backwards"
        static let version = 1
        func key(for bytes: Data) -> Data { Data(bytes.reversed()) }
    }

    let context: ManagedObjectContext

    init() throws {
        context = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Sample.self)).newContext()
        for number: Int64 in [100, 25, 9, -3, 1_000] {
            let sample = Sample(context: context)
            sample.number = number
            sample.date =
                number < 0 ? nil : Date(timeIntervalSinceReferenceDate: TimeInterval(number) * 3_600)
            sample.bytes = Data([UInt8(truncatingIfNeeded: number), 9])
        }
        try context.save()
    }

    @Test func `decimals are sorted by their values`() throws {
        let request = FetchRequest<Sample>(sortDescriptors: [
            .descending(.computed(Tenth(), of: \Sample.number))
        ])
        #expect(try context.fetch(request).map(\.number) == [1_000, 100, 25, 9, -3])
    }

    @Test func `bytes and dates can be keys`() throws {
        let byBytes = FetchRequest<Sample>(
            sortDescriptors: [.ascending(.computed(Backwards(), of: \Sample.bytes))])
        #expect(try context.fetch(byBytes).map(\.number) == [9, 25, 100, 1_000, -3])
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Sample>(sortDescriptors: [.ascending(\.date)]), context: context,
            sectionNameKeyPath: .computed(Noon(), of: \Sample.date))
        try controller.performFetch()
        #expect(
            controller.outline == [
                ":1", "2001-01-01T12:00:00Z:1", "2001-01-02T12:00:00Z:1", "2001-01-05T12:00:00Z:1",
                "2001-02-11T12:00:00Z:1",
            ])
    }

    @Test func `groups and aggregates can be computed from keys`() throws {
        let tenth = KeyExpression.computed(Tenth(), of: \Sample.number)
        let rows = try context.fetchDictionaries(
            FetchRequest<Sample>(),
            properties: [.property(tenth, as: "key"), .aggregate(.count(tenth), as: "rows")],
            groupedBy: [tenth])
        #expect(
            Set(rows.compactMap { $0["key"] })
                == Set([100, 25, 9, -3, 1_000].map { (Decimal($0) / 10).storedValue }))
        let twice = try context.aggregate(
            .sum(.computed(Twice(), of: \Sample.number)), of: FetchRequest<Sample>(), as: Int64.self)
        #expect(twice == 2_262)
        let all = FetchRequest<Sample>()
        #expect(try context.aggregate(.max(tenth), of: all, as: Decimal.self) == 100)
        #expect(throws: ObjectStorageError.self) {
            try context.aggregate(.sum(.computed(Backwards(), of: \Sample.bytes)), of: all)
        }
    }
}
