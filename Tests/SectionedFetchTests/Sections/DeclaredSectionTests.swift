import SectionedFetch
import Testing

/// Declared sections, which are present even without rows.
@Suite struct DeclaredSectionTests {
    private let workshop: Workshop
    private let context: ManagedObjectContext

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
    }

    private static let key = SectionKey("group").declaring(["b", DeclaredSection("x", name: "Ex"), "a"])

    private func controller(
        _ key: SectionKey = key, cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Item> {
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.group), .ascending(\.rank)]),
            context: context, sectionNameKeyPath: key, cacheName: cacheName, cacheStore: workshop.caches)
        try controller.performFetch()
        return controller
    }

    private static func outline(_ controller: FetchedResultsController<Item>) -> [String] {
        controller.sections?.map { "\($0.name):\($0.objects.map { "\($0.rank)" }.joined(separator: ","))" }
            ?? []
    }

    @Test func `declared sections are present without rows in declared order, and others follow`() throws {
        #expect(Self.outline(try controller()) == ["b:", "Ex:", "a:"])
        _ = try workshop.fill(context)
        let other = Item(context: context)
        other.group = "0"
        let none = Item(context: context)
        none.group = nil
        try context.save()
        #expect(Self.outline(try controller()) == ["b:3", "Ex:", "a:1,2", ":0", "0:0"])
        let all = try controller()
        #expect(all.fetchedObjects.map(Array.init) == all.sections?.flatMap(\.objects))
        #expect(all.sectionIndexTitles == ["B", "E", "A", "0"])
    }

    @Test func `a declared section of another type than the key's is refused`() throws {
        let letters = SectionKey.firstLetter(of: \Item.group)
        for key in [
            SectionKey("rank").declaring(["1"]), SectionKey("group").declaring([1]), letters.declaring([1]),
        ] {
            let error = #expect(throws: ObjectStorageError.self) { try controller(key) }
            #expect(error?.code == .invalidRequest && error?.message.contains("Declare") == true)
        }
        #expect(Self.outline(try controller(SectionKey("group").declaring([]))) == [])
    }

    @Test func `rows are inserted and deleted without their declared sections`() throws {
        let (items, _) = try workshop.fill(context)
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        context.delete(items[2])
        try context.save()
        #expect(recorder.take() == ["will", "row deletion", "did", "with 1"])
        #expect(Self.outline(controller) == ["b:", "Ex:", "a:1,2"])
        items[0].group = "x"
        try context.save()
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
        #expect(Self.outline(controller) == ["b:", "Ex:1", "a:2"])
        items[1].group = "c"
        try context.save()
        #expect(recorder.take() == ["will", "section insertion", "row move", "did", "with 2"])
        #expect(Self.outline(controller) == ["b:", "Ex:1", "a:", "c:2"])
    }

    @Test func `the cache stores declared sections, and another declaration is another request`() throws {
        _ = try workshop.fill(context)
        let first = try controller(cacheName: "declared")
        #expect(first.cacheLookup?.isHit == false)
        workshop.caches.waitForWrites()
        let second = try controller(cacheName: "declared")
        #expect(second.cacheLookup?.isCurrent == true)
        #expect(Self.outline(second) == ["b:3", "Ex:", "a:1,2"])
        let renamed = SectionKey("group").declaring(["b", "x", "a"])
        #expect(
            try controller(renamed, cacheName: "declared").missReason == .requestChanged(parts: ["section"]))
        let reordered = SectionKey("group").declaring(["a", DeclaredSection("x", name: "Ex"), "b"])
        #expect(
            try controller(reordered, cacheName: "declared").missReason == .requestChanged(parts: ["sort"]))
    }

    @Test func `a section that is declared twice is an error`() throws {
        #expect(throws: ObjectStorageError.self) {
            try self.controller(SectionKey("group").declaring(["a", "b", "a"]))
        }
    }
}
