import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The meaning of predicate formats, on a few simple objects.
@Suite struct PredicateMeaningTests {
    let container: PersistentContainer
    let context: ManagedObjectContext
    let painters: [Painter]
    let paintings: [Painting]

    init() throws {
        let gallery = try Gallery()
        container = gallery.container
        context = gallery.context
        let painters = ["Ann", "Bob", "Cid"].map { name in
            let painter = Painter(context: gallery.context)
            painter.name = name
            return painter
        }
        self.painters = painters
        painters[0].born = 1880
        painters[1].teacher = painters[0]
        // Title, year, ratio, painter.
        let rows: [(String, Int32?, Double?, Int?)] = [
            ("Café", 1900, 0.5, 0), ("cafe", 1910, nil, 0), ("Ärger", nil, 2, 1), ("Straße", 1950, -1.5, nil),
        ]
        var paintings: [Painting] = []
        for row in rows {
            let painting = Painting(context: gallery.context)
            (painting.title, painting.year, painting.ratio) = (row.0, row.1, row.2)
            painting.painter = row.3.map { painters[$0] }
            paintings.append(painting)
        }
        self.paintings = paintings
        try gallery.context.save()
    }

    /// Returns the titles of the paintings that a predicate chooses in SQL, and checks that it chooses the
    /// same ones in memory.
    private func titles(_ format: String, _ arguments: [any PredicateArgument] = []) throws -> [String] {
        let predicate = try FetchRequest<Painting>.Predicate(format: format, arguments: arguments)
        let titles = try context.fetch(FetchRequest<Painting>(predicate: predicate)).map(\.title)
        #expect(try predicate.filtering(paintings).map(\.title) == titles, "\(format)")
        return titles
    }

    private func names(_ format: String, _ arguments: [any PredicateArgument] = []) throws -> [String] {
        let predicate = try FetchRequest<Painter>.Predicate(format: format, arguments: arguments)
        let names = try context.fetch(FetchRequest<Painter>(predicate: predicate)).map(\.name)
        #expect(try predicate.filtering(painters).map(\.name) == names, "\(format)")
        return names
    }

    @Test(arguments: [
        ("year > 1900", ["cafe", "Straße"]), ("NOT year > 1900", ["Café", "Ärger"]),
        ("year == nil", ["Ärger"]), ("year != 1900", ["cafe", "Ärger", "Straße"]), ("year < nil", []),
        ("year IN {1900, nil}", ["Café", "Ärger"]), ("NOT year IN {1900}", ["cafe", "Ärger", "Straße"]),
        ("year BETWEEN {1900, 1910}", ["Café", "cafe"]),
        ("NOT year BETWEEN {1900, 1910}", ["Ärger", "Straße"]),
        ("year + 10 == 1910", ["Café"]), ("year / 100 == 19", ["Café", "cafe", "Straße"]),
        ("ratio / 0 == nil", ["Café", "cafe", "Ärger", "Straße"]),
        ("ratio * 2 + 4 == 1", ["Straße"]), ("abs:(ratio) > 1", ["Ärger", "Straße"]),
        ("-ratio > 0", ["Straße"]),
        ("painter.born < year", ["Café", "cafe"]), ("painter.born == nil", ["Ärger", "Straße"]),
        ("painter.paintings.@count == 2", ["Café", "cafe"]), ("painter.paintings.@count == 0", ["Straße"]),
        ("SELF IN painter.paintings", ["Café", "cafe", "Ärger"]),
        ("TRUEPREDICATE", ["Café", "cafe", "Ärger", "Straße"]), ("FALSEPREDICATE", []),
        ("1 = 1 AND 2 > 1.5", ["Café", "cafe", "Ärger", "Straße"]),
    ])
    func `values are compared, and a missing value equals only nil and is neither smaller nor greater`(
        format: String, expected: [String]
    ) throws {
        #expect(try titles(format) == expected)
    }

    @Test(arguments: [
        ("ANY paintings.year > 1900", ["Ann"]), ("ALL paintings.year >= 1900", ["Ann", "Cid"]),
        ("NONE paintings.year > 1900", ["Bob", "Cid"]), ("NOT ANY paintings.year > 1900", ["Bob", "Cid"]),
        ("ANY paintings.year == nil", ["Bob"]), ("ALL paintings.year == nil", ["Bob", "Cid"]),
        ("ANY paintings.title IN {\"Café\", \"x\"}", ["Ann"]),
        ("ANY pupils.paintings.title ==[cd] 'arger'", ["Ann"]),
        ("ANY paintings.painter.name == name", ["Ann", "Bob"]), ("teacher.paintings.@count > 1", ["Bob"]),
        ("SUBQUERY(paintings, $p, $p.year > 1900 AND $p.title BEGINSWITH 'c').@count == 1", ["Ann"]),
        ("SUBQUERY(paintings, $p, $p.year > born).@count == paintings.@count", ["Ann", "Cid"]),
        (
            "SUBQUERY(pupils, $p, SUBQUERY($p.paintings, $q, $q.painter == $p AND $p.teacher == SELF).@count > 0).@count > 0",
            ["Ann"]
        ),
        ("paintings.@sum.year == 3810", ["Ann"]), ("paintings.@avg.year == 1905", ["Ann"]),
        ("paintings.@max.year - paintings.@min.year == 10", ["Ann"]),
        ("paintings.@sum.year == 0", ["Bob", "Cid"]),
        ("paintings.@avg.year == nil", ["Bob", "Cid"]), ("paintings.@max.title < 'a'", []),
        ("paintings.@min.title == 'Ärger'", ["Bob"]),
    ])
    func `ANY, ALL, NONE, subqueries and aggregates evaluate related objects`(
        format: String, expected: [String]
    ) throws {
        #expect(try names(format) == expected)
    }

    @Test(arguments: [
        ("title ==[c] 'CAFE'", ["cafe"]), ("title ==[cd] 'CAFE'", ["Café", "cafe"]),
        ("title ==[d] 'Cafe'", ["Café"]),
        ("title ==[c] 'CAFE\u{301}'", ["Café"]), ("title == 'Cafe\u{301}'", []),
        ("title ==[c] 'STRASSE'", ["Straße"]),
        ("title BEGINSWITH[cd] 'a'", ["Ärger"]), ("title BEGINSWITH[c] 'a'", []),
        ("title CONTAINS[c] 'AF'", ["Café", "cafe"]),
        ("title ENDSWITH[d] 'e'", ["Café", "cafe", "Straße"]), ("title LIKE 'Caf?'", ["Café"]),
        ("title LIKE[cd] '*RG*'", ["Ärger"]),
        ("title LIKE 'c*'", ["cafe"]), ("title LIKE 'caf'", []), ("title LIKE '\\\\*'", []),
        ("title MATCHES '[A-Z].*'", ["Café", "Straße"]), ("title MATCHES[c] 'caf.'", ["Café", "cafe"]),
        ("title MATCHES[d] 'Caf[a-f]'", ["Café"]),
        ("title MATCHES 'caf|cafe|Caf'", ["cafe"]),
        ("title IN[cd] {'CAFE', 'arger'}", ["Café", "cafe", "Ärger"]),
        ("title MATCHES '(?x)cafe # a comment'", ["cafe"]),
        ("lowercase:(title) == 'straße'", ["Straße"]), ("uppercase:(title) == 'STRASSE'", ["Straße"]),
    ])
    func `texts are compared by the rules of Unicode`(format: String, expected: [String]) throws {
        #expect(try titles(format) == expected)
    }

    @Test func `arithmetic with dates is in seconds`() throws {
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        paintings[0].added = now
        paintings[1].added = now.addingTimeInterval(-86_400)
        #expect(try titles("added + 86400 > %@", [now]) == ["Café"])
        #expect(try titles("added - %@ == -86400", [now]) == ["cafe"])
    }

    @Test func `predicates see unsaved changes and find unsaved objects`() throws {
        paintings[3].painter = painters[2]
        paintings[0].year = 1
        context.delete(paintings[1])
        let new = Painter(context: context)
        new.name = "Dot"
        paintings[2].painter = new
        #expect(try names("ANY paintings.year == 1950") == ["Cid"])
        #expect(try names("paintings.@count == 0") == ["Bob"])
        let predicate = try FetchRequest<Painter>.Predicate(
            format: "SELF == %@ AND ANY paintings == %@", new, paintings[2])
        #expect(try predicate.evaluate(with: new))
        #expect(try !predicate.evaluate(with: painters[0]))
        #expect(try context.fetch(FetchRequest<Painter>(predicate: predicate)) == [new])
    }

    @Test(arguments: [
        ("titel == 'a'", "“title”"), ("painter.nam == 'a'", "“name”"),
        ("ANY painter.painting.year > 3", "“paintings”"),
        ("title.name == 'a'", "is an attribute"), ("painter.paintings.year > 3", "ANY, ALL or NONE"),
        ("ANY painter.name == 'a'", "through a relationship to many"),
        ("ANY year + 1 > 3", "need a key path"),
        ("painter.@count > 1", "does not lead to many objects"),
        ("title.@count > 1", "does not lead to many objects"),
        ("year == 'x'", "a number, date or Boolean value with a text"),
        ("title > 3", "a text with a number"),
        ("title + 1 == 2", "arithmetic takes a number"),
        ("lowercase:(year) == 'x'", "lowercase takes a text"),
        ("year BEGINSWITH 'x'", "“year” is a number"), ("uuid LIKE 'x'", "“uuid” is bytes"),
        ("uuid LIKE nil", "only string"),
        ("painter == object('Room', 1)", "an object of “Painter” with an object of “Room”"),
        ("painter.paintings.@sum.title > 1", "@sum takes a number"),
        ("title MATCHES '('", "not a valid regular expression"),
        ("title MATCHES 'a)|(b'", "not a valid regular expression"), ("SELF IN painter", "IN needs a list"),
        ("room.museum.rooms.paintings.painter.teacher.teacher.teacher.name == 'a'", "more than 8"),
    ])
    func `a predicate that the model cannot answer is the same typed error in SQL and in memory`(
        format: String, words: String
    ) throws {
        let predicate = try FetchRequest<Painting>.Predicate(format: format)
        let fetched = #expect(throws: ObjectStorageError.self) {
            try context.fetch(FetchRequest<Painting>(predicate: predicate))
        }
        let evaluated = #expect(throws: ObjectStorageError.self) {
            try predicate.evaluate(with: paintings[0])
        }
        #expect(fetched?.message.contains(words) == true, "\(fetched?.message ?? "")")
        #expect(evaluated == fetched)
    }

    @Test func `a regular expression with too many steps ends with an error`() throws {
        paintings[0].title = String(repeating: "a", count: 60)
        try context.save()
        let predicate = try FetchRequest<Painting>.Predicate(format: "title MATCHES '(a+)+b'")
        let fetched = #expect(throws: ObjectStorageError.self) {
            try context.fetch(FetchRequest<Painting>(predicate: predicate))
        }
        let evaluated = #expect(throws: ObjectStorageError.self) { try predicate.filtering(paintings) }
        #expect(fetched?.message.contains("too many steps") == true)
        #expect(fetched?.code == .matchingTooLong)
        #expect(evaluated?.code == .matchingTooLong)
    }

    @Test func `two spellings of one text are bound as different values`() throws {
        paintings[0].title = "e\u{301}"
        try context.save()
        #expect(try titles("title == '\u{e9}' OR title == 'e\\u{301}'").count == 1)
    }

    @Test
    func `a text in a numeric column compares by storage class, and arithmetic on it gives nil`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("gallery.sqlite")
        let context = try PersistentContainer(url: url, model: Gallery.model.get()).newContext()
        let painting = Painting(context: context)
        try context.save()
        try Library.runElsewhere("UPDATE Painting SET year = '12 monkeys'", path: url.path)
        context.refreshAllObjects()
        for format in ["year > 1000000", "year + 1 == nil", "year != nil", "NOT year < 13"] {
            let predicate = try FetchRequest<Painting>.Predicate(format: format)
            #expect(
                try context.fetch(FetchRequest<Painting>(predicate: predicate)) == [painting], "\(format)")
            #expect(try predicate.evaluate(with: painting), "\(format)")
        }
    }

    @Test func `more conditions than a request may have constants are a typed error`() throws {
        let parts = (0..<40_000).map {
            PredicateTree.comparison(.path("year"), .notEqual, .value(.integer(Int64($0))))
        }
        let predicate = FetchRequest<Painting>.Predicate(.conjunction(parts))
        let error = #expect(throws: ObjectStorageError.self) {
            try context.fetch(FetchRequest<Painting>(predicate: predicate))
        }
        #expect(error?.message.contains("40000 constants") == true)
    }

    @Test func `many conditions do not make a deep tree`() throws {
        let parts = (0..<3_000).map {
            PredicateTree.comparison(.path("year"), .equal, .value(.integer(Int64($0))))
        }
        let predicate = FetchRequest<Painting>.Predicate(.disjunction(parts))
        #expect(try context.fetch(FetchRequest<Painting>(predicate: predicate)).count == 3)
        #expect(try predicate.filtering(paintings).count == 3)
    }
}
