import Foundation
import SectionedFetch
import Testing

@testable import ToolSupport

@Suite struct RequestSyntaxTests {
    typealias Descriptor = FetchRequest<ManagedObject>.SortDescriptor

    @Test func `the syntax of keys gives the expressions of the API`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let cases: [(String, KeyExpression)] = [
            ("title", "title"), ("artist.name", "artist.name"), ("letter", "letter"),
            ("letter:title", .firstLetter(of: "title")),
            ("letter:title:sv", .firstLetter(of: "title", in: Locale(identifier: "sv"))),
            ("letter:title:apart", .firstLetter(of: "title", diacritics: .apart)),
            (
                "letter:a.b:de_DE:apart",
                .firstLetter(of: "a.b", in: Locale(identifier: "de_DE"), diacritics: .apart)
            ),
            ("year:added", .year(of: "added", in: .gmt)),
            ("year:added:Europe/Berlin", .year(of: "added", in: berlin)),
            ("month:added:GMT", .month(of: "added", in: .gmt)), ("year", "year"),
            ("day:added", .day(of: "added", in: .gmt)),
            ("week:added:Europe/Berlin", .week(of: "added", in: berlin)),
            ("quarter:a.b:GMT", .quarter(of: "a.b", in: .gmt)),
            ("decade:added", .decade(of: "added", in: .gmt)),
            ("index:title", .indexLetter(of: "title")), ("range", "range"),
            ("index:title:zh-Hant", .indexLetter(of: "title", in: Locale(identifier: "zh-Hant"))),
            ("folded:artist.name", .foldedText(of: "artist.name")),
            ("range:price:step=10", .range(of: "price", step: 10)),
            ("range:price:step=+0.25", .range(of: "price", step: 0.25)),
            ("range:year:bounds=1950/1980/2000", .range(of: "year", bounds: [1_950, 1_980, 2_000])),
            ("range:year:bounds=-10.5", .range(of: "year", bounds: [-10.5])),
        ]
        for (text, expression) in cases { #expect(try KeySyntax.expression(text) == expression, "\(text)") }
    }

    @Test func `the syntax of orders gives the sort descriptors of the API`() throws {
        let german = TextOrder.localized(Locale(identifier: "de"))
        let cases: [(String, [Descriptor])] = [
            ("title", [.ascending("title")]), ("-year", [.descending("year")]),
            ("title:nocase", [.ascending("title", order: .caseInsensitive)]),
            ("title:localized=de:nulls=last", [.ascending("title", order: german, nulls: .last)]),
            (
                "-artist.name:nulls=first,title",
                [.descending("artist.name", nulls: .first), .ascending("title")]
            ),
            ("title:indexed=zh", [.ascending("title", order: .indexed(Locale(identifier: "zh")))]),
            (
                "-range:price:step=10:nulls=last,folded:title",
                [
                    .descending(.range(of: "price", step: 10), nulls: .last),
                    .ascending(.foldedText(of: "title")),
                ]
            ),
            ("index:nocase", [.ascending("index", order: .caseInsensitive)]),
            ("-day:added:nulls=first", [.descending(.day(of: "added", in: .gmt), nulls: .first)]),
            // An attribute with the name of a key function.
            ("year:nulls=last", [.ascending("year", nulls: .last)]),
            ("letter:nocase", [.ascending("letter", order: .caseInsensitive)]),
            ("-year:added", [.descending(.year(of: "added", in: .gmt))]),
            ("year:added:nulls=last", [.ascending(.year(of: "added", in: .gmt), nulls: .last)]),
            (
                "letter:title:sv:apart:nulls=last",
                [
                    .ascending(
                        .firstLetter(of: "title", in: Locale(identifier: "sv"), diacritics: .apart),
                        nulls: .last)
                ]
            ),
        ]
        for (text, descriptors) in cases {
            #expect(try SortSyntax.descriptors(text) == descriptors, "\(text)")
        }
    }

    @Test(arguments: [
        "range:price", "range:price:10", "range:price:step", "range:price:step=", "range:price:step=0",
        "range:price:step=-1", "range:price:step=ten", "range:price:step=1e3", "range:price:step=1/2",
        "range:price:bounds=", "range:price:bounds=1//2", "range:price:bounds=1/nan", "range:price:step=1-2",
        "range:price:bounds=1/0x10", "range:price:step=10:step=20", "range:price:width=10", "folded:title:de",
        "index:title:xx_nonsense", "day:added:Mars/Olympus", "week:",
        "range:price:step=123456789012345678901234567890123456789",
    ])
    func `a key that cannot be read is refused with the reason`(text: String) {
        #expect {
            try KeySyntax.expression(text)
        } throws: { error in
            (error as? SyntaxFailure)?.message.contains("“\(text)”") ?? false
        }
    }

    @Test(arguments: [
        "de", "DE", "deu", "ger", "de_DE", "de-DE", "de@collation=phonebook", "de-u-co-phonebk",
        "de_DE@collation=phonebook", "de@colStrength=primary;collation=phonebook", "es-u-co-trad",
        "zh@collation=stroke", "zh-Hant", "zh_Hant_TW", "zh-min-nan", "sr-Latn", "es_419", "en_001", "tlh",
        "en_US_POSIX", "ca-valencia", "de-1996", "sl-rozaj-biske", "de.UTF-8", "iw", "sh", "no", "mo",
        "root", "und", "und-u-co-emoji",
    ])
    func `a locale that Foundation knows is accepted in every notation`(identifier: String) throws {
        let locale = Locale(identifier: identifier)
        #expect(
            try KeySyntax.expression("letter:title:\(identifier):apart")
                == .firstLetter(of: "title", in: locale, diacritics: .apart))
        #expect(
            try SortSyntax.descriptors("title:localized=\(identifier):nulls=last")
                == [.ascending("title", order: .localized(locale), nulls: .last)])
    }

    @Test func `every locale and language that Foundation lists is accepted`() throws {
        let listed = Locale.availableIdentifiers
        let identifiers =
            listed + listed.map { Locale(identifier: $0).identifier(.bcp47) }
            + Locale.LanguageCode.isoLanguageCodes.map(\.identifier)
        #expect(listed.count > 500)
        for identifier in identifiers {
            #expect(throws: Never.self, "\(identifier)") {
                try LocaleArgument.locale(identifier, in: identifier)
            }
        }
    }

    @Test(arguments: [
        ("year>=1900", "year", ">=", "1900"), ("title^=A", "title", "^=", "A"),
        ("a.b = c d ", "a.b", "=", "c d"),
        ("title~*==", "title", "~*=", "="), ("title==x", "title", "==", "x"), ("title=", "title", "=", ""),
        ("x<>y", "x", "<>", "y"), ("x=\">y\"", "x", "=", "\">y\""), ("x==>y", "x", "==", ">y"),
        ("a*=\u{301}", "a", "*=", "\u{301}"),
        ("e\u{301}=\u{301}", "e\u{301}", "=", "\u{301}"), ("title!=nil", "title", "!=", "nil"),
        ("a=b>c", "a", "=", "b>c"),
    ])
    func `a condition is split at its first operator`(
        text: String, path: String, operation: String, literal: String
    ) throws {
        let condition = try ShortCondition(text)
        #expect(condition.path == path)
        #expect(condition.comparison.rawValue == operation)
        #expect(condition.literal == literal)
    }

    @Test(arguments: [
        "", "year", "=3", " =3", "^title", "title^A", "~title=3", "title=~x", "title=<", "title LIKE",
    ])
    func `a text that is no condition is refused`(text: String) {
        #expect(throws: SyntaxFailure.self) { try ConditionSyntax(text) }
    }

    @Test(arguments: [
        ("\"nil\"", "nil"), ("\"a \\\"b\\\" \\\\c\"", "a \"b\" \\c"), ("\"\"", ""), ("plain", nil),
        ("\"", nil), ("\"open", nil), ("\"\u{301}\"", "\u{301}"),
    ])
    func `a quoted text is taken literally`(literal: String, text: String?) {
        #expect(ValueText.unquoted(literal) == text)
    }

    @Test func `values of each type are read and printed`() throws {
        let store = try BookStore()
        let container = try PersistentContainer(url: URL(filePath: store.path))
        func property(_ path: String) throws -> KeyPathProperty {
            try KeyPathProperty(path, of: "Book", in: container)
        }
        let cases: [(String, String, StoredValue, String)] = [
            ("title", "a b", "a b", "a b"), ("year", "-44", -44, "-44"), ("rating", "1.5", 1.5, "1.5"),
            ("rating", "2", 2, "2"),
            ("year", "9007199254740993.0", 9_007_199_254_740_993, "9007199254740993"),
            ("year", "-9223372036854775808.00", .integer(.min), "-9223372036854775808"),
            ("year", "1962.5", 1962.5, "1962.5"), ("year", "1e20", 1e20, "1e+20"),
            ("rating", "+1e3", 1_000, "1000"), ("rating", ".1", 0.1, "0.1"), ("isRead", "yes", true, "true"),
            ("isRead", "0", false, "false"),
            ("added", "2001-01-02", 86_400, "2001-01-02T00:00:00Z"),
            ("added", "2001-01-01T00:00:01.500Z", 1.5, "2001-01-01T00:00:01.500Z"),
            ("added", "2001-01-01T01:00:00+01:00", 0, "2001-01-01T00:00:00Z"),
            ("added", "2001-01-01T00:10", 600, "2001-01-01T00:10:00Z"),
            ("added", "1500-01-01", -15_810_076_800, "1500-01-01T00:00:00Z"),
            ("added", "9999-12-31", 252_423_907_200, "9999-12-31T00:00:00Z"),
            ("cover", "00ff", .blob([0, 255]), "2 bytes"),
            ("author", "12", 12, "Author/12"), ("objectID", "7", 7, "7"), ("year", "nil", .null, "nil"),
        ]
        for (path, literal, value, shown) in cases {
            let property = try property(path)
            let read = try ValueText.value(literal, of: property)
            // Dates are always stored as REAL.
            let expected: StoredValue =
                if path == "added", case .integer(let seconds) = value { .real(Double(seconds)) } else {
                    value
                }
            #expect(read == expected, "\(path) \(literal)")
            #expect(ValueText.text(expected, of: property) == shown, "\(path) \(literal)")
        }
        for (path, literal) in [
            ("year", "1.5x"), ("rating", "nan"), ("rating", "-inf"), ("rating", "1e400"),
            ("rating", "1e-400"),
            ("year", "0x5"), ("rating", "0x5"), ("rating", "0x1p3"), ("year", ""), ("year", "."),
            ("year", "1e"),
            ("year", "9007199254740992.5"), ("year", "9223372036854775806.5"),
            ("year", "1.00000000000000000001"), ("isRead", "perhaps"),
            ("added", "2001-13-01"),
            ("added", "2001-02-29"), ("added", "2001-01-01T25:00:00Z"),
            ("added", "2001-01-01tomorrow"), ("added", "2001-01-01T10:00:00Zjunk"),
            ("cover", "0f0"), ("author", "Ada"),
        ] {
            #expect(throws: ObjectStorageError.self, "\(path) \(literal)") {
                try ValueText.value(literal, of: property(path))
            }
        }
    }
}
