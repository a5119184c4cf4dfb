import SectionedFetch
import Testing

/// The listing of the article “Predicates”.
@Suite struct PredicatesListings {
    final class Artwork: ManagedObject {
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
}
