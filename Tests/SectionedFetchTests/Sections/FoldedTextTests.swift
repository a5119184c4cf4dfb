import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// Sections of texts without regard to case and marks.
@Suite struct FoldedTextTests {
    let catalogue: Catalogue
    let context: ManagedObjectContext

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
    }

    private func fill(_ departments: [String?]) throws {
        for department in departments { Artwork(context: context).department = department }
        try context.save()
    }

    private let request = FetchRequest<Artwork>(sortDescriptors: [
        .ascending(.foldedText(of: \Artwork.department)), .ascending(\.department),
    ])

    @Test func `texts that differ in case and marks share a section with the name of its first row`() throws {
        try fill([
            "jazz", "Jazz", "JAZZ", "chanson", "Chansón", "cafe\u{301}", "Café", "CAFE", nil, "", "Øre",
            "ore",
        ])
        let controller = try catalogue.restarted(request, by: .foldedText(of: \Artwork.department))
        try controller.performAndSettle()
        // In the order of code points, capital letters come first.
        #expect(controller.outline == [":1", ":1", "CAFE:3", "Chansón:2", "JAZZ:3", "ore:1", "Øre:1"])
        #expect(controller.sections?[key: "jazz"]?.name == "JAZZ")
        let again = try catalogue.restarted(request, by: .foldedText(of: "department"))
        try again.performFetch()
        #expect(again.missReason == nil)
        #expect(again.outline == controller.outline)
    }

    @Test func `sections agree with Foundation's folding for random words in both directions`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let letters = ["a", "A", "á", "Á", "a\u{308}", "b", "B", "n", "ñ", "Ñ", "z", " "]
        let words = (0..<300).map { _ in
            (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                letters.randomElement(using: &generator)!
            }
            .joined()
        }
        try fill(words)
        let groups = Dictionary(grouping: words) {
            $0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        }
        let key = KeyExpression.foldedText(of: \Artwork.department)
        for order in [FetchRequest<Artwork>.SortDescriptor.ascending(key), .descending(key)] {
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [order]), context: context,
                sectionNameKeyPath: .foldedText(of: \Artwork.department), cacheStore: catalogue.caches)
            try controller.performFetch()
            let sections = try #require(controller.sections)
            #expect(sections.count == groups.count)
            for section in sections {
                let found = section.compactMap(\.department)
                let folded = section.name.folding(
                    options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                #expect(found.sorted() == groups[folded]?.sorted())
                #expect(section.name == found.first)
            }
        }
    }

    @Test func `the name follows the first row, also in the cache`() throws {
        try fill(["Jazz", "jazz", "rock"])
        let key = SectionKey.foldedText(of: \Artwork.department)
        try catalogue.restarted(request, by: key).performAndSettle()
        try catalogue.runElsewhere("UPDATE Artwork SET department = 'JAZZ' WHERE department = 'jazz'")
        let advanced = try catalogue.restarted(request, by: key)
        try advanced.performFetch()
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.outline == ["JAZZ:2", "rock:1"])
        advanced.settle()
        #expect(try advanced.verifyCache() == .equal(sections: 2, rows: 3))
    }

    @Test func `a number has no folded text`() throws {
        #expect(throws: ObjectStorageError.self) {
            try catalogue.restarted(request, by: .foldedText(of: \Artwork.year))
        }
    }
}
