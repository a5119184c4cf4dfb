import Foundation
import ObjectStorage
import Testing

private final class Visit: ManagedObject {
    override class var existingTable: ExistingTable? {
        ExistingTable(
            name: "visits", primaryKey: "id",
            forms: [
                "unix": .unixMicroseconds, "chrome": .microsecondsSince1601, "day": .dayText,
                "time": .dateTimeText, "zone": .dateTimeZoneText, "iso": .iso8601Text,
                "label": .numberOrText,
            ])
    }
    @Attribute var unix: Date?
    @Attribute var chrome: Date?
    @Attribute var day: Date?
    @Attribute var time: Date?
    @Attribute var zone: Date?
    @Attribute var iso: Date?
    @Attribute var label: String?
}

/// Dates as text and microseconds, and texts beside numbers.
@Suite struct ExistingDateFormTests {
    private let owner: Chinook

    init() throws {
        owner = try Chinook(
            schema:
                "CREATE TABLE visits (id INTEGER PRIMARY KEY, unix, chrome, day, time, zone, iso, label);",
            rows: """
                INSERT INTO visits VALUES (1, 1700000000123456, 13344473600123456, '2023-11-14', '2023-11-14 22:13:20.123456',
                    '2023-11-15 00:13:20.123456+02:00', '2023-11-14T22:13:20.123Z', 5);
                """)
    }

    private func open(_ way: StoreOptions.ExistingTables) throws -> PersistentContainer {
        try PersistentContainer(
            url: owner.url, model: ManagedObjectModel(types: Visit.self),
            options: StoreOptions(existingTables: way))
    }

    private static let moment = Date(timeIntervalSinceReferenceDate: 1_700_000_000 - 978_307_200 + 0.123_456)

    @Test(arguments: bothWays)
    func `each form is read as its date`(way: StoreOptions.ExistingTables) throws {
        let context = try open(way).newContext()
        let visit = try #require(try context.fetch(FetchRequest<Visit>()).first)
        for date in [visit.unix, visit.chrome, visit.time, visit.zone] { #expect(date == Self.moment) }
        #expect(visit.day == Date(timeIntervalSince1970: 1_699_920_000))
        #expect(visit.label == "5")
        #expect(try context.fetch(FetchRequest<Visit>(predicate: \.zone == Self.moment)) == [visit])
        #expect(try context.fetch(FetchRequest<Visit>(predicate: \.label == "5")) == [visit])
        #expect(try context.fetch(FetchRequest<Visit>(predicate: \.label == "6")).isEmpty)
    }

    @Test(arguments: bothWays)
    func `dates are written in the form of their column`(way: StoreOptions.ExistingTables) throws {
        let context = try open(way).newContext()
        for date in [Self.moment, Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: 0.5)] {
            let visit = Visit(context: context)
            (visit.unix, visit.chrome, visit.day, visit.time) = (date, date, date, date)
            (visit.zone, visit.iso, visit.label) = (date, date, "six")
            try context.save()
        }
        #expect(
            try owner.sqlite("SELECT unix, chrome, day, time, zone, iso, label FROM visits WHERE id > 1")
                == """
                1700000000123456|13344473600123456|2023-11-14|2023-11-14 22:13:20.123456|2023-11-14 22:13:20.123456+00:00|2023-11-14T22:13:20.123456Z|six
                -1000000|11644473599000000|1969-12-31|1969-12-31 23:59:59|1969-12-31 23:59:59+00:00|1969-12-31T23:59:59Z|six
                500000|11644473600500000|1970-01-01|1970-01-01 00:00:00.500000|1970-01-01 00:00:00.500000+00:00|1970-01-01T00:00:00.500Z|six
                """)
    }

    @Test func `a text that is not a date is a typed error`() throws {
        try owner.sqlite("UPDATE visits SET time = 'yesterday', day = 5")
        let context = try open(.untracked).newContext()
        let visit = try #require(try context.fetch(FetchRequest<Visit>()).first)
        #expect(visit.time == nil && visit.readError?.code == .invalidValue)
        #expect(try visit.value(forProperty: "time") == "yesterday")
        // A number is a date in the library's own form.
        #expect(try visit.value(forProperty: "day") == 5.0)
    }
}
