import Foundation
import CheckSupport
import Testing

@testable import ObjectStorage

@Suite struct PredicateCompilationTests {
    private func compile(_ format: String, of entityName: String = "Painter") throws -> CompiledRequest {
        let predicate = try FetchRequest<ManagedObject>.Predicate(format: format)
        let request = FetchRequest<ManagedObject>(entityName: entityName, predicate: predicate).description
        return try RequestCompiler.compile(request, model: Gallery.model.get(), columns: .keys)
    }

    @Test(arguments: [
        ("name == 'a'", ["Painter"]), ("teacher.name == 'a'", ["Painter"]),
        ("paintings.@count > 0", ["Painter", "Painting"]),
        ("ANY paintings.room.museum.name == 'a'", ["Museum", "Painter", "Painting", "Room"]),
        (
            "SUBQUERY(pupils, $x, ANY $x.paintings.room.label == 'a').@count > 0",
            ["Painter", "Painting", "Room"]
        ),
        ("SELF IN teacher.paintings.room.paintings.painter", ["Painter", "Painting", "Room"]),
        ("paintings.@max.room.number > 1", ["Painter", "Painting", "Room"]),
        ("NOT (ALL paintings == nil)", ["Painter", "Painting"]),
    ])
    func `a compiled predicate lists every table that it reads`(format: String, tableNames: [String]) throws {
        #expect(try compile(format).tableNames == tableNames)
    }

    @Test(arguments: [
        ("year > 3", #"(t0.`year` > ?1)"#), ("year == 3", #"(t0.`year` = ?1)"#),
        ("3 == year", #"(?1 = t0.`year`)"#),
        ("year BETWEEN {1, 2}", #"(t0.`year` BETWEEN ?1 AND ?2)"#),
        ("year IN {1, 2}", #"(t0.`year` IN (?1, ?2))"#),
        ("title BEGINSWITH 'a'", #"(t0.`title` >= ?1 AND "#), ("title == 'a'", #"(t0.`title` = ?1)"#),
    ])
    func `a plain comparison is compiled to SQL that can use an index`(format: String, sql: String) throws {
        let compiled = try compile(format, of: "Painting").sql
        #expect(compiled.contains(sql), "\(compiled)")
    }

    @Test func `different predicates have different canonical bytes, and equal ones the same`() throws {
        let formats = [
            "year == 1", "year == 1.0", "year == '1'", "year == x'31'", "year == nil", "#\"1\" == year",
            "year == $a", "year == a", "year ==[c] 1",
            "year ==[d] 1", "year ==[cd] 1", "ANY year == 1", "ALL year == 1", "NONE year == 1", "year < 1",
            "year <= 1", "NOT year == 1",
            "year IN {1}", "year IN {1, 1}", "year == 1 AND year == 1", "year == 1 OR year == 1",
            "year + 1 == 1", "year - 1 == 1", "a.@count == 1",
            "a.@sum.b == 1", "a.@avg.b == 1", "SUBQUERY(a, $x, TRUEPREDICATE).@count == 1",
            "SUBQUERY(a, $y, TRUEPREDICATE).@count == 1",
            "title == 'é'", "title == 'e\\u{301}'", "title LIKE 'a'", "title MATCHES 'a'",
            "object('a', 1) == year", "object('a', new 1) == year",
            "lowercase:(a) == 1", "uppercase:(a) == 1", "TRUEPREDICATE", "FALSEPREDICATE", "a.b == 1",
            "#\"a\".c == 1", "-0.0 == a", "0.0 == a",
        ]
        var seen: [[UInt8]: String] = [:]
        for format in formats {
            var encoder = CanonicalEncoder()
            let tree = try PredicateTree(format: format)
            tree.encode(into: &encoder)
            #expect(seen[encoder.bytes] == nil, "\(format) and \(seen[encoder.bytes] ?? "")")
            seen[encoder.bytes] = format
            var again = CanonicalEncoder()
            try PredicateTree(format: tree.format).encode(into: &again)
            #expect(again.bytes == encoder.bytes, "\(format)")
        }
    }

    @Test func `conditions on related objects are equal in Swift and as formats`() throws {
        typealias Painters = FetchRequest<Painter>.Predicate
        let cases: [(Painters, String)] = [
            (.any(\.paintings, \.year > 1900), "ANY paintings.year > 1900"),
            (.all(\.paintings, .isIn(\.year, [1])), "ALL paintings.year IN {1}"),
            (
                .none(\.paintings, .like(\.title, "a*", ignoringDiacritics: true)),
                "NONE paintings.title LIKE[d] 'a*'"
            ),
            (
                .any(\.pupils, .any(\.paintings, \.year > 1)),
                "SUBQUERY(pupils, $x, ANY $x.paintings.year > 1).@count > 0"
            ),
            (.count(of: \.paintings, .equal, 2), "paintings.@count == 2"),
            (
                .count(
                    of: \.pupils,
                    where: .count(of: \.paintings, where: \.year > 1 && \.title == "a", .equal, 0), .lessThan,
                    3),
                "SUBQUERY(pupils, $xx, SUBQUERY($xx.paintings, $x, $x.year > 1 AND $x.title == 'a').@count == 0).@count < 3"
            ),
            (
                .all(\.paintings, \.year > 1 || .matches(\.title, "a+")),
                "SUBQUERY(paintings, $x, NOT ($x.year > 1 OR $x.title MATCHES 'a+')).@count == 0"
            ),
        ]
        for (typed, format) in cases {
            #expect(try typed == Painters(format: format), "\(typed.format)")
            #expect(try compile(typed.format).tableNames.contains("Painting"))
        }
    }
}
