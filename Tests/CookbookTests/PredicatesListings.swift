import SectionedFetch
import Testing

/// The listings of the article “Predicates”.
@Suite struct PredicatesListings {
    final class Artwork: ManagedObject {
        @Attribute var title: String = ""
        @Attribute var year: Int32 = 0
        @Relationship(inverse: \Exhibition.artworks) var exhibitions: Set<Exhibition>
    }

    final class Exhibition: ManagedObject {
        @Attribute var city: String = ""
        @Relationship var artworks: Set<Artwork>
    }

    @Test func `Swift and the format language make equal predicates`() throws {
        let old: FetchRequest<Artwork>.Predicate = \.year < 1900 && .any(\.exhibitions, \.city == "Basel")
        let same = try FetchRequest<Artwork>.Predicate(
            format: "year < %d AND ANY exhibitions.city == %@", 1900, "Basel")
        let later = try FetchRequest<Artwork>.Predicate(format: "year >= $since").substituting([
            "since": 1960
        ])
        #expect(old == same)
        #expect(later.format == "year >= 1960")

        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Artwork.self, Exhibition.self))
        let context = container.newContext()
        let artwork = Artwork(context: context)
        artwork.year = 1880
        #expect(try !old.evaluate(with: artwork))
        let exhibition = Exhibition(context: context)
        exhibition.city = "Basel"
        artwork.exhibitions = [exhibition]
        #expect(try old.evaluate(with: artwork))
        try context.save()
        #expect(try context.fetch(FetchRequest(predicate: same)) == [artwork])
    }

    @Test func `the examples of the language are valid`() throws {
        let examples = [
            // Works of the 20th century whose titles begin with E, e, É or é.
            #"year BETWEEN {1900, 1999} AND title BEGINSWITH[cd] "e""#,
            // Works of one of three years, or with a word in the title.
            #"year IN {1900, 1950, 2000} OR title LIKE "*Basel*""#,
            // Works that were never shown in Basel; also those that were never shown.
            #"NONE exhibitions.city == "Basel""#,
            // Works that were shown three times or more, whose titles do not begin with a digit.
            #"exhibitions.@count >= 3 AND NOT title MATCHES "[0-9].*""#,
            // Works that were shown in two places other than Basel.
            #"SUBQUERY(exhibitions, $x, $x.city != "Basel").@count >= 2"#,
        ]

        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Artwork.self, Exhibition.self))
        let context = container.newContext()
        let artwork = Artwork(context: context)
        (artwork.title, artwork.year) = ("Étude", 1950)
        try context.save()
        let counts = try examples.map { format in
            try context.count(for: FetchRequest<Artwork>(predicate: .init(format: format)))
        }
        #expect(counts == [1, 1, 1, 0, 0])
    }

    @Test func `an error names line, column and remedy`() throws {
        var messages: [String] = []

        do {
            _ = try FetchRequest<Artwork>.Predicate(format: "year > 1900 AND\n  (year < 2000")
        } catch {
            // The predicate's line 2, column 15: expected “)”, or more of the condition, found the end. …
            messages.append(error.message)
        }

        #expect(messages.count == 1)
        #expect(
            messages[0].hasPrefix(
                "The predicate's line 2, column 15: expected “)”, or more of the condition, found the end. "))
    }
}
