import Foundation
import SectionedFetch
import Testing

/// Detection of changes that the store token does not show, because they were made with the triggers off.
@Suite struct VerificationLevelTests {
    let catalogue: Catalogue
    let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        try catalogue.fill(60)
        let first = try fetch(.token)
        first.settle()
        #expect(try fetch(.token).cacheLookup?.isHit == true)
    }

    /// Fetches as after a restart of the program.
    private func fetch(
        _ level: CacheVerificationLevel, _ request: FetchRequest<Artwork>? = nil
    ) throws -> FetchedResultsController<Artwork> {
        let controller = try catalogue.restarted(request ?? self.request, by: "department")
        controller.cacheVerificationLevel = level
        try controller.performFetch()
        controller.settle()
        return controller
    }

    private func changeWithoutTriggers(_ sql: String) throws {
        try catalogue.runElsewhere(".dbconfig enable_trigger off", sql)
    }

    private func contradiction(_ controller: FetchedResultsController<Artwork>) -> String? {
        if case .contradicted(let detail)? = controller.missReason { detail } else { nil }
    }

    @Test(arguments: [CacheVerificationLevel.token, .count, .full])
    func `a correct entry is used or advanced at every level`(level: CacheVerificationLevel) throws {
        let controller = try fetch(level)
        #expect(controller.cacheLookup?.isCurrent == true)
        #expect(controller.outline == ["Drawings:20", "Film:20", "Prints:20"])
        try catalogue.runElsewhere("DELETE FROM Artwork WHERE title = 'title 3'")
        let advanced = try fetch(level)
        #expect(advanced.cacheLookup?.isAdvanced == true)
        #expect(advanced.outline == ["Drawings:20", "Film:19", "Prints:20"])
    }

    @Test(arguments: [CacheVerificationLevel.count, .full])
    func `a changed number of rows is detected by counting`(level: CacheVerificationLevel) throws {
        try changeWithoutTriggers("DELETE FROM Artwork WHERE department = 'Film'")
        #expect(try fetch(.token).outline == ["Drawings:20", "Film:20", "Prints:20"])
        let controller = try fetch(level)
        #expect(controller.outline == ["Drawings:20", "Prints:20"])
        #expect(contradiction(controller) == "The cache has 60 rows, the store 40.")
        // The entry was replaced.
        let after = try fetch(.token)
        #expect(after.cacheLookup?.isCurrent == true)
        #expect(after.outline == ["Drawings:20", "Prints:20"])
    }

    @Test func `moved rows are detected by comparing everything`() throws {
        try changeWithoutTriggers("UPDATE Artwork SET department = 'Film' WHERE title = 'title 1'")
        #expect(try fetch(.count).cacheLookup?.isCurrent == true)
        let controller = try fetch(.full)
        #expect(controller.outline == ["Drawings:19", "Film:21", "Prints:20"])
        #expect(contradiction(controller)?.hasPrefix("Section 0:") == true)
        #expect(try fetch(.full).cacheLookup?.isCurrent == true)
        try changeWithoutTriggers("UPDATE Artwork SET title = 'a' WHERE title = 'title 9'")
        let detail = contradiction(try fetch(.full))
        #expect(detail == "Row 19 is the first that differs.")
    }

    @Test func `an advanced entry is verified as well`() throws {
        try changeWithoutTriggers("DELETE FROM Artwork WHERE title = 'title 4'")
        try catalogue.runElsewhere("DELETE FROM Artwork WHERE title = 'title 3'")
        let controller = try fetch(.count)
        #expect(contradiction(controller) == "The cache has 59 rows, the store 58.")
        #expect(controller.outline == ["Drawings:19", "Film:19", "Prints:20"])
    }

    @Test func `results in a locale's order can be counted`() throws {
        let localized = FetchRequest<Artwork>(sortDescriptors: [
            .ascending(\.department), .ascending(\.title, order: .localized(Locale(identifier: "de"))),
        ])
        for _ in 0..<2 { _ = try fetch(.count, localized) }
        #expect(try fetch(.count, localized).cacheLookup?.isCurrent == true)
    }

    @Test func `a window is counted within its limit`() throws {
        var window = request
        window.fetchLimit = 10
        window.fetchOffset = 55
        for _ in 0..<2 { _ = try fetch(.count, window) }
        #expect(try fetch(.count, window).cacheLookup?.isCurrent == true)
        try changeWithoutTriggers("DELETE FROM Artwork WHERE title = 'title 3'")
        let controller = try fetch(.count, window)
        #expect(contradiction(controller) == "The cache has 5 rows, the store 4.")
    }

    @Test func `the description of the miss reason names both numbers of rows`() throws {
        try changeWithoutTriggers("DELETE FROM Artwork WHERE title = 'title 3'")
        #expect(
            try fetch(.count).cacheLookup?.description
                == "miss: the cache differs from the store, although no change was recorded (The cache has 60 rows, the store 59.)"
        )
    }
}
