import Foundation
import ObjectStorage
import CheckSupport
import Testing

@Suite struct RequestTests {
    /// The expected values of one work, independent of the store.
    struct Row {
        var title: String
        var year: Int32?
        var rating: Double?
        var author: String?
        let order: Int
    }

    static let titles = [
        "", "a", "A", "Ab", "ab", "É", "e", "eb", "Zz", "10", "9", "日本", "a%_", "'; DROP TABLE Work",
        "\u{1F600}",
    ]

    static func fill(_ context: ManagedObjectContext, count: Int, using generator: inout SeededGenerator)
        throws -> [Row]
    {
        let authors = ["Ann", "Bob", "ann"].map { name in
            let author = Author(context: context)
            author.name = name
            return author
        }
        return (0..<count).map { order in
            let work = Work(context: context)
            work.title = titles.randomElement(using: &generator)!
            work.year = Bool.random(using: &generator) ? Int32.random(in: -3...3, using: &generator) : nil
            work.rating =
                Bool.random(using: &generator) ? Double(Int.random(in: 0...4, using: &generator)) / 2 : nil
            work.author = Bool.random(using: &generator) ? authors.randomElement(using: &generator) : nil
            return Row(
                title: work.title, year: work.year, rating: work.rating, author: work.author?.name,
                order: order)
        }
    }

    typealias Condition = (FetchRequest<Work>.Predicate, (Row) -> Bool)

    /// Returns a random predicate and a closure with the same condition in Swift.
    static func condition(depth: Int, using generator: inout SeededGenerator) -> Condition {
        let year = Int32.random(in: -3...3, using: &generator)
        let text = titles.randomElement(using: &generator)!
        switch Int.random(in: 0..<(depth > 0 ? 17 : 14), using: &generator) {
        case 0: return (\.year == year, { $0.year == year })
        case 1: return (\.year != year, { $0.year != year })
        case 2: return (\.year < year, { $0.year.map { $0 < year } ?? false })
        case 3: return (\.year <= year, { $0.year.map { $0 <= year } ?? false })
        case 4: return (\.year > year, { $0.year.map { $0 > year } ?? false })
        case 5: return (\.year >= year, { $0.year.map { $0 >= year } ?? false })
        case 6: return (.isNil(\.rating), { $0.rating == nil })
        case 7: return (\.rating != nil, { $0.rating != nil })
        case 8: return (.beginsWith(\.title, text), { Array($0.title.utf8).starts(with: text.utf8) })
        case 9: return (.contains(\.title, text), { text.isEmpty || $0.title.contains(text) })
        case 10:
            return (
                .endsWith(\.title, text),
                { Array($0.title.utf8.reversed()).starts(with: text.utf8.reversed()) }
            )
        case 11:
            let low = min(year, 1)
            return (.isBetween(\.year, low...1), { $0.year.map { $0 >= low && $0 <= 1 } ?? false })
        case 12: return (.isIn(\.year, [year, nil]), { $0.year == year || $0.year == nil })
        case 13: return (\.author?.name == "Ann", { $0.author == "Ann" })
        case 14:
            let (a, b) = (
                condition(depth: depth - 1, using: &generator), condition(depth: depth - 1, using: &generator)
            )
            return (a.0 && b.0, { a.1($0) && b.1($0) })
        case 15:
            let (a, b) = (
                condition(depth: depth - 1, using: &generator), condition(depth: depth - 1, using: &generator)
            )
            return (a.0 || b.0, { a.1($0) || b.1($0) })
        default:
            let a = condition(depth: depth - 1, using: &generator)
            return (!a.0, { !a.1($0) })
        }
    }

    @Test func `predicates choose the same rows as the conditions in Swift, saved and unsaved`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let library = try Library()
        let context = library.container.newContext()
        var rows = try Self.fill(context, count: 60, using: &generator)
        try context.save()
        rows += try Self.fill(context, count: 0, using: &generator)
        context.rollback()
        for round in 0..<600 {
            if round == 300 {
                // From here on, some rows are unsaved; SQLite must answer as if they were saved.
                for order in 60..<80 {
                    let work = Work(context: context)
                    work.title = Self.titles.randomElement(using: &generator)!
                    work.year = Int32.random(in: -3...3, using: &generator)
                    rows.append(
                        Row(title: work.title, year: work.year, rating: nil, author: nil, order: order))
                }
                for (order, work) in try context.fetch(FetchRequest<Work>()).prefix(10).enumerated() {
                    work.year = 2
                    rows[order].year = 2
                }
            }
            let (predicate, condition) = Self.condition(depth: 3, using: &generator)
            let fetched = try context.fetch(FetchRequest<Work>(predicate: predicate))
            let expected = rows.filter(condition)
            #expect(
                fetched.map(\.title) == expected.map(\.title), "seed \(seed), round \(round): \(predicate)")
            #expect(fetched.map(\.year) == expected.map(\.year), "seed \(seed), round \(round): \(predicate)")
            #expect(try context.count(for: FetchRequest<Work>(predicate: predicate)) == expected.count)
        }
    }

    @Test(arguments: [NullOrder.smallest, .first, .last], [true, false])
    func `every order is total, and missing values are at the requested end`(
        nulls: NullOrder, ascending: Bool
    ) throws {
        var generator = SeededGenerator(seed: 7)
        let library = try Library()
        let context = library.container.newContext()
        let rows = try Self.fill(context, count: 50, using: &generator)
        try context.save()
        let request = FetchRequest<Work>(sortDescriptors: [
            ascending ? .ascending(\.year, nulls: nulls) : .descending(\.year, nulls: nulls)
        ])
        let nullsFirst = nulls == .first || (nulls == .smallest && ascending)
        let expected = rows.sorted { a, b in
            if a.year == b.year { return a.order < b.order }
            guard let first = a.year else { return nullsFirst }
            guard let second = b.year else { return !nullsFirst }
            return ascending ? first < second : first > second
        }
        #expect(try context.fetch(request).map(\.title) == expected.map(\.title))
        let window = FetchRequest<Work>(
            sortDescriptors: request.sortDescriptors, fetchLimit: 7, fetchOffset: 11)
        #expect(try context.fetch(window).map(\.title) == expected[11..<18].map(\.title))
        #expect(try context.count(for: window) == 7)
    }

    @Test(arguments: [0, 3])
    func `rows are counted regardless of the sort order`(limit: Int) throws {
        let library = try Library()
        let context = library.container.newContext()
        for title in ["Zebra", "apple", "Éclair", "eclipse"] { Work(context: context).title = title }
        try context.save()
        let key = KeyExpression.firstLetter(of: \Work.title, in: Locale(identifier: "fr"))
        for sort in [
            FetchRequest<Work>.SortDescriptor.ascending(\.title, order: .localized(Locale(identifier: "de"))),
            .ascending(key), .ascending(KeyExpression(stringLiteral: "author.name")),
        ] {
            let request = FetchRequest<Work>(
                predicate: \.title != "apple", sortDescriptors: [sort], fetchLimit: limit)
            #expect(try context.count(for: request) == 3)
        }
    }

    @Test func `binary, case-insensitive and localized text orders differ`() throws {
        let library = try Library()
        let context = library.container.newContext()
        for title in ["Zebra", "apple", "Éclair", "eclipse", "Ebb", "file10", "file9", "Öl", "Ofen"] {
            Work(context: context).title = title
        }
        try context.save()
        func titles(_ order: TextOrder) throws -> [String] {
            try context.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.title, order: order)])).map(
                \.title)
        }
        #expect(
            try titles(.binary) == [
                "Ebb", "Ofen", "Zebra", "apple", "eclipse", "file10", "file9", "Éclair", "Öl",
            ])
        #expect(
            try titles(.caseInsensitive) == [
                "apple", "Ebb", "eclipse", "file10", "file9", "Ofen", "Zebra", "Éclair", "Öl",
            ])
        #expect(
            try titles(.localized(Locale(identifier: "de")))
                == ["apple", "Ebb", "Éclair", "eclipse", "file9", "file10", "Ofen", "Öl", "Zebra"])
        #expect(
            try titles(.localized(Locale(identifier: "sv"))).suffix(2) == ["Zebra", "Öl"])
    }

    @Test(arguments: [
        ("titel", "“title”"), ("author.nam", "“name”"), ("title.name", "attribute"),
        ("author.works.title", "many"),
        ("a.b.c.d.e.f.g.h.i", "more than 8"), ("", "no property"),
    ])
    func `an invalid key path is a typed error that suggests the nearest name`(
        path: String, hint: String
    ) throws {
        let library = try Library()
        let context = library.container.newContext()
        let request = FetchRequest<Work>(sortDescriptors: [.ascending(KeyExpression.path(path))])
        let error = #expect(throws: ObjectStorageError.self) { try context.fetch(request) }
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }

    @Test func `a constant of another type is a typed error`() throws {
        let library = try Library()
        let context = library.container.newContext()
        let request = FetchRequest<Work>(predicate: .comparison("year", .equal, "nineteen"))
        let error = #expect(throws: ObjectStorageError.self) { try context.fetch(request) }
        #expect(error?.code == .invalidValue)
    }

    @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 9_000])
    func `a lazy list of any length and of keys of any size equals a fetch`(count: Int) throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("works.sqlite")
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Work.self, Author.self))
        try Library.runElsewhere(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
            INSERT INTO Work (objectID, title) SELECT i * CASE WHEN i % 5000 = 4000 THEN 4000000000 ELSE 1 END, i FROM n
            WHERE \(count) > 0
            """, path: url.path)
        let request = FetchRequest<Work>(sortDescriptors: [.descending(\.title)])
        let context = container.newContext()
        let list = try context.list(request)
        let keys = list.map(\.objectID)
        #expect(try keys.count == count && keys == context.fetch(request).map(\.objectID))
    }

    @Test func `a lazy list equals a fetch`() throws {
        var generator = SeededGenerator(seed: 3)
        let library = try Library()
        let context = library.container.newContext()
        _ = try Self.fill(context, count: 101, using: &generator)
        try context.save()
        let request = FetchRequest<Work>(sortDescriptors: [.descending(\.title)], fetchBatchSize: 7)
        let list = try context.list(request)
        #expect(list.map(\.objectID) == (try context.fetch(request)).map(\.objectID))
        #expect(list.reversed().map(\.title) == (try context.fetch(request)).map(\.title).reversed())
    }
}
