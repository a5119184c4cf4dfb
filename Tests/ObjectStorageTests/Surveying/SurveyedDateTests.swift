import Foundation
import ObjectStorage
import Testing

/// Dates of other programs: their recognition, and their values compared with those of SQLite's functions.
@Suite struct SurveyedDateTests {
    /// A column with its values as SQL, the recognized form, and the SQL of a value's Unix seconds.
    struct Case: Sendable, CustomTestStringConvertible {
        let column: String
        let values: [String]
        let form: ExistingTable.Form?
        var seconds = "strftime('%s', v) + 0.0"
        var isDate = false
        var testDescription: String { "\(column) \(values)" }
    }

    static let cases = [
        Case(column: "day TEXT", values: ["'1815-12-10'", "'2024-02-29'", "NULL"], form: .dayText),
        Case(
            column: "at DATETIME", values: ["'2009-01-01 00:00:00'", "'2009-01-01 10:20:30'"],
            form: .dateTimeText),
        Case(
            column: "at DATETIME", values: ["'2009-01-01 00:00:00.250000'", "'2009-01-01 10:20:30'"],
            form: .dateTimeText, seconds: "round((julianday(v) - 2440587.5) * 86400, 3)"),
        Case(
            column: "at", values: ["'2011-02-03 04:05:06+00:00'", "'2011-02-03 04:05:06+02:00'"],
            form: .dateTimeZoneText),
        Case(
            column: "at TEXT", values: ["'2011-02-03T04:05:06Z'", "'2011-02-03T04:05:06-01:30'"],
            form: .iso8601Text),
        Case(column: "at TEXT", values: ["'2011-02-03T04:05:06Z'", "'2011-02-03'"], form: nil),
        Case(column: "at TEXT", values: ["'2011-02-30'"], form: nil),
        Case(column: "at TEXT", values: ["'2011-02-03'", "''"], form: nil),
        Case(column: "at TEXT", values: ["'2011-02-03'", "5"], form: nil),
        Case(column: "at TEXT", values: ["'2011-02-03 and more'"], form: nil),
        Case(column: "at TEXT", values: ["'1999'"], form: nil),
        Case(
            column: "created_at INTEGER", values: ["1700000000", "100000000"], form: .unixSeconds,
            seconds: "v + 0.0"),
        Case(column: "created REAL", values: ["1700000000.5"], form: .unixSeconds, seconds: "v + 0.0"),
        // Seconds since 2001, as Safari stores them, which the library needs no form to read.
        Case(
            column: "visit_time REAL", values: ["700000000.25", "NULL", "698765432.5"], form: nil,
            seconds: "v + 978307200.0", isDate: true),
        Case(column: "created REAL", values: ["978307200.5"], form: .unixSeconds, seconds: "v + 0.0"),
        // Digits such as 202301151230 are a date, not a number of seconds.
        Case(column: "created INTEGER", values: ["202301151230", "202312312359"], form: nil),
        Case(column: "created INTEGER", values: ["230115123059"], form: nil),
        Case(column: "created INTEGER", values: ["2301151230", "2312312359"], form: nil),
        Case(column: "created INTEGER", values: ["1201151230", "1212312359", "0"], form: nil),
        Case(column: "created INTEGER", values: ["2023011512305999"], form: nil),
        Case(
            column: "created INTEGER", values: ["1201151230", "1201151261"], form: .unixSeconds,
            seconds: "v + 0.0"),
        Case(
            column: "added_on INTEGER", values: ["1700000000"], form: .unixSeconds, seconds: "v + 0.0"),
        Case(column: "at_bats INTEGER", values: ["1700000000"], form: nil),
        Case(column: "on_hand INTEGER", values: ["1700000000"], form: nil),
        Case(column: "size INTEGER", values: ["1700000000"], form: nil),
        Case(column: "created_at INTEGER", values: ["1700000000", "5"], form: nil),
        Case(
            column: "dateAdded INTEGER", values: ["1700000000123", "0"], form: .unixMilliseconds,
            seconds: "v / 1000.0"),
        Case(
            column: "visit_date INTEGER", values: ["1700000000123456", "1600000000000001"],
            form: .unixMicroseconds, seconds: "v / 1000000.0"),
        Case(
            column: "visit_time INTEGER", values: ["13344473600123456", "0"], form: .microsecondsSince1601,
            seconds: "v / 1000000 - 11644473600 + v % 1000000 / 1000000.0"),
        Case(column: "hash INTEGER", values: ["13344473600123456"], form: nil),
        Case(
            column: "stamp INTEGER", values: (0..<10).map { "1334447360012345\($0)" },
            form: .microsecondsSince1601,
            seconds: "v / 1000000 - 11644473600 + v % 1000000 / 1000000.0"),
    ]

    @Test(arguments: cases)
    func `a column is a date if all its values are dates`(test: Case) throws {
        let rows = test.values.map { "(\($0))" }.joined(separator: ", ")
        let name = String(test.column.prefix { $0 != " " })
        let owner = try Chinook(
            schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, \(test.column));",
            rows: "INSERT INTO t (\(name)) VALUES \(rows);")
        let survey = try DatabaseSurvey(of: owner.url)
        let entity = try #require(survey.model.entity(named: "t"))
        let form = entity.existingTable?.forms[name]
        #expect((form == .numberOrText ? nil : form) == test.form)
        guard test.form != nil || test.isDate else {
            #expect(entity.attribute(named: name)?.type != .date)
            return
        }
        #expect(survey.tables[0].columns[1].note?.contains("date") == true)
        let context = try PersistentContainer(
            url: owner.url, model: survey.model,
            options: StoreOptions(isReadOnly: true, existingTables: .untracked)
        ).newContext()
        let objects = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "t", sortDescriptors: [.ascending("objectID")]))
        let found = try objects.map { object -> Double? in
            guard case .real(let seconds) = try object.value(forProperty: name) else { return nil }
            return seconds + Date.timeIntervalBetween1970AndReferenceDate
        }
        let expected = try owner.sqlite(
            "SELECT ifnull(\(test.seconds), 'NULL') FROM (SELECT id, \(name) AS v FROM t) ORDER BY id"
        ).split(separator: "\n").map { Double($0) }
        #expect(found.count == expected.count)
        for (value, other) in zip(found, expected) {
            #expect((value == nil) == (other == nil))
            if let value, let other { #expect(abs(value - other) < 0.000_01, "\(value) \(other)") }
        }
        // The order in SQL is that of the dates.
        let sorted = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "t", sortDescriptors: [.ascending(.path(name))]))
        let order = try sorted.map { try $0.value(forProperty: name) }
        #expect(order == order.sorted { Self.number($0) < Self.number($1) })
    }

    private static func number(_ value: StoredValue) -> Double {
        if case .real(let number) = value { number } else { -.infinity }
    }
}
