import Foundation
import ObjectStorage
import Testing

private typealias Works = FetchRequest<Work>.Predicate

@Suite struct PredicateFormatTests {
    @Test func `formats and Swift operators make equal predicates`() throws {
        let author = ObjectID(entityName: "Author", primaryKey: 3)
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
        let uuid = UUID()
        let cases: [(Works, Works)] = [
            (try .init(format: "year > 3 && genre == 'poetry'"), \.year > 3 && \.genre == .poetry),
            (
                try .init(format: "year>3 and pages=<%d or not (isRead = yes)", 40),
                \.year > 3 && \.pages <= 40 || !(\.isRead == true)
            ),
            (
                try .init(format: "(year == nil OR year <> NULL) OR year >= -5"),
                \.year == nil || \.year != nil || \.year >= -5
            ),
            (try .init(format: "author.name == %@", "Ann"), \.author?.name == "Ann"),
            (try .init(format: "%K BEGINSWITH %@", "author.name", "A"), .beginsWith("author.name", "A")),
            (try .init(format: "title contains[c] \"sea\""), .contains(\.title, "sea", ignoringCase: true)),
            (try .init(format: "title ENDSWITH %@", "\u{0}"), .endsWith(\.title, "\u{0}")),
            (try .init(format: "title ==[c] 'x'"), .equal(\.title, "x", ignoringCase: true)),
            (try .init(format: "year BETWEEN {1, %d}", 2), .isBetween(\.year, 1...2)),
            (try .init(format: "year BETWEEN %@", [1, 2]), .isBetween(\.year, 1...2)),
            (try .init(format: "year IN {1, nil, 0x10}"), .isIn(\.year, [1, nil, 16])),
            (try .init(format: "genre IN %@", ["novel", "drama"]), .isIn(\.genre, [.novel, .drama])),
            (try .init(format: "author == %@", author), .leads("author", to: author)),
            (try .init(format: "author == nil"), .isNil(\.author)),
            (try .init(format: "SELF == %@", author), .leads("objectID", to: author)),
            (try .init(format: "added < %@", date), \.added < date),
            (try .init(format: "added < CAST(700000000.5, \"NSDate\")"), \.added < date),
            (try .init(format: "uuid == %@", uuid), \.uuid == uuid),
            (try .init(format: "cover == x'00fF'"), \.cover == Data([0, 255])),
            (try .init(format: "rating == %f", 2.5), \.rating == 2.5),
            (try .init(format: "rating == 2.5e-3"), \.rating == 0.0025),
            (try .init(format: "key == -9223372036854775808"), \.key == .min),
            (try .init(format: "TRUEPREDICATE"), .always), (try .init(format: "falsepredicate"), .never),
            (try .init(format: "isRead == $flag").substituting(["flag": true]), \.isRead == true),
            (try .init(format: "year IN $years").substituting(["years": [1, 2]]), .isIn(\.year, [1, 2])),
        ]
        for (parsed, typed) in cases {
            #expect(parsed == typed)
            #expect(try Works(format: typed.format) == typed)
        }
    }

    @Test(arguments: [
        ("year>3&&title='a'", #"year > 3 AND title == "a""#),
        ("a=1 or b=2 and c=3", "a == 1 OR (b == 2 AND c == 3)"),
        ("(a=1 or b=2) and c=3", "(a == 1 OR b == 2) AND c == 3"),
        ("(a=1 and (b=2 and c=3))", "a == 1 AND b == 2 AND c == 3"),
        ("!a=1", "NOT a == 1"), ("not not a=1", "NOT NOT a == 1"),
        ("(a+b)*c > -(d)", "(a + b) * c > 0 - d"), ("a-1-2 = 3", "(a - 1) - 2 == 3"),
        ("a - -1 = 0", "a - -1 == 0"),
        ("((((a)))) = ((1))", "a == 1"), ("some b.c = 1", "ANY b.c == 1"),
        ("all b.c in[dc] {'x',\n'y'}", #"ALL b.c IN[cd] {"x", "y"}"#),
        ("b.@count = 0", "b.@count == 0"), ("b.c.@SUM.d = 0", ""),
        ("b.c.@sum.d.e >= 1.0", "b.c.@sum.d.e >= 1.0"),
        (
            "subquery(self.b, $x, $x.c = d and subquery($x.e, $y, $y = $x).@count > 0).@max.f < 1",
            "SUBQUERY(b, $x, $x.c == d AND SUBQUERY($x.e, $y, $y == $x).@count > 0).@max.f < 1"
        ),
        ("#in.none = #\"a \\\"b\"", "#in.none == #\"a \\\"b\""),
        ("lowercase:(a) = uppercase:('b')", #"lowercase:(a) == uppercase:("b")"#),
        ("abs:(a) = 1", "abs:(a) == 1"),
        (#"a = '\u00e9\u{1F600}\n\'\"'"#, #"a == "é😀\n'\"""#), ("a = 'e\u{301}'", #"a == "e\u{301}""#),
        ("a = 99999999999999999999", "a == 1e+20"), ("a = 0b101 or a = 0o17", "a == 5 OR a == 15"),
        ("a = 1e999 or a = -1e999", "a == 1e999 OR a == -1e999"), ("a = $b", "a == $b"),
        (
            "a = object('B c', -4) or a = object(\"B\", new 7)",
            #"a == object("B c", -4) OR a == object("B", new 7)"#
        ),
        ("self in a.b", "objectID IN a.b"),
    ])
    func `a predicate has one canonical format`(format: String, canonical: String) throws {
        guard !canonical.isEmpty else {
            #expect(throws: ObjectStorageError.self) { try Works(format: format) }
            return
        }
        let predicate = try Works(format: format)
        #expect(predicate.format == canonical)
        #expect(try Works(format: canonical) == predicate)
    }

    @Test(arguments: [
        ("", 1, 1, "expected a value or a key path, found the end"),
        ("year", 1, 5, "expected a comparison"),
        ("year == ", 1, 9, "found the end"),
        ("year = = 3", 1, 8, "found “=”"),
        ("year > 3 title", 1, 10, "expected AND, OR or the end, found “title”"),
        ("year > 3 AND\n  (title == 'a'", 2, 16, "expected “)”"),
        ("title == 'a", 1, 10, "no closing quote"),
        ("title == \"é\" AND ~", 1, 18, "“~” is not valid here"),
        ("title LIKE '\\d'", 1, 13, "a backslash must precede"),
        ("title == '\\u{110000}'", 1, 11, "number of a character"),
        ("title ==[x] 'a'", 1, 10, "expected c (case), d (diacritics) or cd"),
        ("year BETWEEN 3", 1, 14, "two values"), ("year BETWEEN {1, 2, 3}", 1, 14, "two values"),
        ("year == {1}", 1, 9, "on the right of IN"), ("year IN 3", 1, 9, "a list such as {1, 2}"),
        ("year IN {1 2}", 1, 12, "expected “,”"), ("year IN {{1}}", 1, 10, "no list inside a list"),
        ("year == %d", 1, 9, "no argument"), ("year == %z", 1, 9, "no placeholder begins like “%z”"),
        ("year == 100%", 1, 12, "percent sign"),
        ("year == AND", 1, 9, "#AND"), ("$x.year == 3", 1, 1, "not the variable of an enclosing SUBQUERY"),
        ("SUBQUERY(works, $x, $x.year > 3) > 0", 1, 34, "@count"),
        ("SUBQUERY(works, x, year > 3).@count > 0", 1, 17, "a variable such as $x"),
        ("SUBQUERY(works, $x, SUBQUERY(works, $x, 1 = 1).@count > 0).@count > 0", 1, 37, "Choose another"),
        ("works.@median.year > 3", 1, 7, "@count, @sum"), ("works.@sum > 3", 1, 12, "expected “.”"),
        ("ANY (works.year > 3 AND works.pages > 3)", 1, 5, "SUBQUERY"),
        ("now() > added", 1, 4, "Pass the time"),
        ("lowrcase:(title) == 'a'", 1, 9, "“lowercase”"), ("cover == x'0'", 1, 10, "two hexadecimal digits"),
        ("(year > 3) + 1 > 2", 1, 12, "expected AND, OR or the end"),
        ("1 + (year > 3) > 2", 1, 5, "arithmetic needs values"),
        ("2nd == 3", 1, 1, "cannot begin with a digit"), ("year == 0x", 1, 9, "not a 64-bit integer"),
        ("object(3, 4) == author", 1, 8, "name of an entity"),
        ("year == CAST('x', 'Date')", 1, 14, "number of seconds"),
    ])
    func `an error names the position, the expected text and a remedy`(
        format: String, line: Int, column: Int, words: String
    ) throws {
        let error = #expect(throws: ObjectStorageError.self) { try Works(format: format) }
        let message = error?.message ?? ""
        #expect(error?.code == .invalidPredicate)
        #expect(message.contains("line \(line), column \(column):"), "\(message)")
        #expect(message.contains(words), "\(message)")
    }

    @Test func `arguments of a wrong type or number are errors`() {
        let cases: [(String, [any PredicateArgument], String)] = [
            ("year == %d", ["x"], "takes a whole number, and argument 1 is not one"),
            ("year == %d AND rating == %f", [1, "x"], "argument 2"), ("%K == 3", [3], "%K takes a key path"),
            ("year == %@", [1, 2], "2 arguments were given for 1 placeholders"),
            ("year == %@ AND year == %@", [1], "1 were given"), ("year IN %@", [3], "a list such as"),
        ]
        for (format, arguments, words) in cases {
            let error = #expect(throws: ObjectStorageError.self) {
                try Works(format: format, arguments: arguments)
            }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `a variable without a value and a value without a variable are errors`() throws {
        let predicate = try Works(format: "year > $since AND title BEGINSWITH $prefix")
        let library = try Library()
        let context = library.container.newContext()
        let open = #expect(throws: ObjectStorageError.self) {
            try context.fetch(FetchRequest<Work>(predicate: predicate.substituting(["since": 3])))
        }
        #expect(open?.message.contains("$prefix") == true)
        let unknown = #expect(throws: ObjectStorageError.self) { try predicate.substituting(["sinc": 3]) }
        #expect(unknown?.message.contains("“since”") == true)
        #expect(
            try predicate.substituting(["since": 3, "prefix": "A"]).format
                == #"year > 3 AND title BEGINSWITH "A""#)
        // A list in the position of a single value.
        #expect(throws: ObjectStorageError.self) {
            try context.fetch(
                FetchRequest<Work>(predicate: predicate.substituting(["since": [3], "prefix": "A"])))
        }
    }

    @Test func `equal sets make equal predicates`() throws {
        let numbers = Set(0..<20)
        #expect(
            try Works(format: "year IN %@", numbers) == Works(format: "year IN %@", Set(numbers.reversed())))
    }
}
