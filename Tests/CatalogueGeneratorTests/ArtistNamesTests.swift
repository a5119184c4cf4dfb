import Testing

@testable import CatalogueGenerator

@Suite struct ArtistNamesTests {
    @Test func `every artist has a unique name`() {
        let names = ArtistNames()
        var seen: Set<String> = []
        for artist in 0..<ArtistNames.count {
            #expect(seen.insert(names.name(of: artist)).inserted)
        }
    }
}
