import Foundation
import SectionedFetch
import Testing

@Suite struct ReadmeExampleTests {
    @Test func `the example in the README is the one that is compiled here`() throws {
        let readme = try RepositoryFile.text("README.md")
        let compiled = try RepositoryFile.text("Tests/ToolTests/Readme/ReadmeExample.swift")
        let parts = readme.components(separatedBy: "```")
        let blocks = parts.filter { $0.hasPrefix("swift\n") }.map { String($0.dropFirst("swift\n".count)) }
        #expect(blocks == [compiled])
    }

    @Test func `the example computes its sections once and then takes them from the cache`() throws {
        let directory = try ScratchDirectory()
        let store = directory.file("works.store")
        let caches = SectionCacheStore(directory: directory.file("caches"))
        let first = try WorkList(store: store, caches: caches)
        for (title, language) in [("Solaris", "Polish"), ("La Peste", "French"), ("L'Étranger", "French")] {
            try first.add(title, in: language)
        }
        // The fetch found an empty list. The entry was advanced by each change.
        #expect(first.controller.cacheLookup?.isHit == false)
        #expect(caches.waitForWrites(upTo: 30))
        let second = try WorkList(store: store, caches: caches)
        let lookup = second.controller.cacheLookup
        #expect(lookup?.isHit == true, "\(lookup.map(String.init) ?? "no look-up")")
        for list in [first, second] {
            let sections = try #require(list.controller.sections)
            #expect(sections.map(\.name) == ["French", "Polish"])
            #expect(sections.map { $0.objects.map(\.title) } == [["L'Étranger", "La Peste"], ["Solaris"]])
        }
    }
}
