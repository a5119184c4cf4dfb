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
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("readme-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: directory)
            } catch {
                Issue.record("\(directory.path) could not be deleted: \(error)")
            }
        }
        let store = directory.appendingPathComponent("works.store")
        let caches = SectionCacheStore(directory: directory.appendingPathComponent("caches"))
        try fill(store)

        let first = try listWorks(in: store, caches: caches)
        #expect(first.cacheLookup?.isHit == false)
        #expect(caches.waitForWrites(upTo: 30))
        let second = try listWorks(in: store, caches: caches)
        #expect(second.cacheLookup?.isHit == true, "\(second.cacheLookup.map(String.init) ?? "no look-up")")
        for controller in [first, second] {
            let sections = try #require(controller.sections)
            #expect(sections.map(\.name) == ["French", "Polish"])
            #expect(sections.map { $0.objects.map(\.title) } == [["L'Étranger", "La Peste"], ["Solaris"]])
        }
    }

    private func fill(_ store: URL) throws {
        let container = try PersistentContainer(url: store, model: ManagedObjectModel(types: Work.self))
        let context = container.newContext()
        for (title, language) in [("Solaris", "Polish"), ("La Peste", "French"), ("L'Étranger", "French")] {
            let work = try context.insert(Work.self)
            work.title = title
            work.language = language
        }
        try context.save()
    }
}
