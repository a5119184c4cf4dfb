import ChangeHistory
import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Sections by several keys, flat and nested.
@Suite final class NestedSectionTests: FilledWorkshop {
    private static let key = SectionKey.path("group").subdivided(
        by: SectionKey("maker", namedBy: "maker.name"))

    private static let request = FetchRequest<Item>(
        sortDescriptors: [
            .ascending(\.group), .ascending(\.maker?.name), .ascending("maker"), .ascending(\.rank),
        ])

    private func controller(
        _ key: SectionKey = key, cacheName: CacheName? = nil, in other: ManagedObjectContext? = nil
    ) throws -> FetchedResultsController<Item> {
        let controller = try workshop.controller(
            Self.request, by: key, cacheName: cacheName, in: other ?? context)
        try controller.performFetch()
        return controller
    }

    @Test func `sections have subsections with counts, keys and objects`() throws {
        items[1].maker = makers[1]
        let item = Item(context: context)
        (item.group, item.rank) = ("b", 9)
        try context.save()
        let controller = try controller()
        let sections = try #require(controller.sections)
        #expect(sections.map(\.name) == ["a", "b"])
        #expect(sections.map(\.numberOfObjects) == [2, 2])
        #expect(sections.map { $0.key(as: String.self) } == ["a", "b"])
        #expect(sections[0].subsections?.map(\.name) == ["Ada", "Bob"])
        #expect(sections[1].subsections?.map(\.name) == ["", "Bob"])
        #expect(
            try sections[0].subsections?.map { try $0.keyObject(as: Maker.self) } == makers.map(Optional.some)
        )
        #expect(try sections[1].subsections?[0].keyObject(as: Maker.self) == nil)
        #expect(try sections[0].keyObject(as: Maker.self) == nil)
        #expect(sections[0].subsections?.map(\.key) == makers.map { .integer($0.objectID.primaryKey ?? 0) })
        #expect(sections[1].subsections?[0].first == item)
        #expect(sections[name: "b"]?.subsections?[name: "Bob"]?.map(\.rank) == [3])
        #expect(controller.sectionIndexTitles == ["A", "B"])
        #expect(controller.object(at: [0, 1]) == items[1])
        #expect(controller.object(at: [0, 1, 0]) == items[1])
        #expect(
            controller.objectIfPresent(at: [0, 2, 0]) == nil
                && controller.objectIfPresent(at: [1, 0, 1]) == nil)
        #expect(controller.indexPath(for: items[2]) == [1, 1])
        #expect(controller.nestedIndexPath(for: items[2]) == [1, 1, 0])
        let snapshot = try #require(controller.snapshot)
        #expect(snapshot.objectID(at: [1, 1, 0]) == items[2].objectID)
        #expect(snapshot.indexPath(for: items[2].objectID) == [1, 1])
    }

    @Test func `a section by a relationship has its object, also before the object is saved`() throws {
        let maker = Maker(context: context)
        maker.name = "Cy"
        items[2].maker = maker
        let byMaker = FetchRequest<Item>(sortDescriptors: [.ascending(\.maker?.name), .ascending("maker")])
        let controller = try workshop.controller(
            byMaker, by: SectionKey("maker", namedBy: "maker.name"), in: context)
        try controller.performFetch()
        let sections = try #require(controller.sections)
        #expect(try sections.map { try $0.keyObject(as: Maker.self) } == [makers[0], maker])
        #expect(try sections[0].keyObject(as: Item.self) == nil)
        // The key of a section by a name is no object.
        let byName = try workshop.controller(byMaker, by: "maker.name", in: context)
        try byName.performFetch()
        #expect(try byName.sections?[0].keyObject(as: Maker.self) == nil)
    }

    @Test func `a list without nested sections has neither subsections nor paths of three components`() throws
    {
        let controller = try controller("group")
        #expect(
            controller.sections?[0].subsections == nil && controller.snapshot?[0].subsections.isEmpty == true)
        #expect(controller.objectIfPresent(at: [0, 0, 0]) == nil)
        #expect(controller.nestedIndexPath(for: items[0]) == nil)
        #expect(controller.sections?[0].key(as: String.self) == "a")
        #expect(controller.sections?[0].key(as: Int64.self) == nil)
    }

    @Test func `the cache keeps nested sections, and its entries differ from those of combined ones`() throws
    {
        #expect(try controller(cacheName: "nested").missReason != nil)
        workshop.caches.waitForWrites()
        let fresh = workshop.container.newContext()
        let hit = try controller(cacheName: "nested", in: fresh)
        #expect(hit.missReason == nil)
        #expect(hit.sections?.map { $0.subsections?.map(\.name) ?? [] } == [["Ada"], ["Bob"]])
        let combined = SectionKey.combined(["group", SectionKey("maker", namedBy: "maker.name")])
        let flat = try controller(combined, cacheName: "nested", in: fresh)
        #expect(flat.missReason != nil)
        #expect(flat.sections?.map(\.name) == ["a, Ada", "b, Bob"])
        #expect(flat.sections?[0].subsections == nil)
    }

    @Test func `an order that does not keep sections together is an error with both rows`() throws {
        (items[1].group, items[0].maker) = ("b", makers[1])
        (items[2].group, items[2].rank) = ("a", 5)
        try context.save()
        let byRank = FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)])
        let error = #expect(throws: ObjectStorageError.self) {
            try workshop.controller(byRank, by: Self.key, in: context).performFetch()
        }
        #expect(error?.code == .ungroupedSections)
        // Each pair of keys is adjacent, and section b is in two places.
        (items[0].group, items[0].maker) = ("b", makers[0])
        (items[1].group, items[1].maker) = ("a", makers[1])
        items[2].group = "b"
        try context.save()
        let byMaker = FetchRequest<Item>(sortDescriptors: [.ascending("maker"), .ascending(\.group)])
        let second = #expect(throws: ObjectStorageError.self) {
            try workshop.controller(byMaker, by: Self.key, in: context).performFetch()
        }
        #expect(second?.code == .ungroupedSections && second?.message.contains("“b”") == true)
    }

    @Test func `keys that cannot be combined are an error`() throws {
        let declared = SectionKey("group").declaring(["a"])
        for key in [
            SectionKey.combined([declared, "rank"]), SectionKey.combined(["group", "rank"]).declaring(["a"]),
            Self.key.subdivided(by: "rank"), SectionKey("group").subdivided(by: declared),
            SectionKey.combined([]), SectionKey.combined(["group", Self.key]),
        ] {
            #expect(throws: ObjectStorageError.self) {
                try workshop.controller(Self.request, by: key, in: context)
            }
        }
    }

    @Test func `names with any characters are read back from their text`() throws {
        let names = ["", "\u{1F}", "\u{1F}3\u{1F}abc", "é", "e\u{301}", "\u{301}", "🇩🇪", "5"]
        for outer in names {
            for inner in names {
                let name = NestedName(outer: outer, inner: inner)
                #expect(NestedName(name.text) == name)
            }
        }
        #expect(
            ["abc", "", "\u{1F}", "\u{1F}9\u{1F}abc", "\u{1F}x\u{1F}", "\u{1F}-1\u{1F}a"].allSatisfy {
                NestedName($0) == nil
            })
    }

    @Test func `random changes lead from the old nested results to the new ones`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let listener = Listener<Item>()
        let controller = try controller(cacheName: "nested")
        controller.delegate = listener
        try controller.performFetch()
        var shown = NestedResults(try #require(controller.snapshot))
        var all = items
        for step in 0..<400 {
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                change(&all, &generator)
            }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                context.rollback()
                all = try context.fetch(FetchRequest<Item>())
            case 1...3: try context.processPendingChanges()
            default: try context.save()
            }
            all.removeAll(where: \.isDeleted)
            for change in listener.changes {
                #expect(!change.isReload)
                shown = shown.applying(change)
                checkTableViewRules(change)
            }
            listener.forget()
            let now = NestedResults(try #require(controller.snapshot))
            // Saved objects have other IDs than before.
            let ranks = { [context] (id: ObjectID) in (try? context.object(with: id) as? Item)?.rank ?? -1 }
            guard shown.words(ranks) == now.words(ranks), now.words(ranks) == oracle(all) else {
                Issue.record(
                    "seed \(seed), step \(step): \(shown.words(ranks)), \(now.words(ranks)), \(oracle(all))")
                return
            }
            shown = now
        }
    }

    private func change(_ all: inout [Item], _ generator: inout SeededGenerator) {
        let groups: [String?] = ["a", "b", "c", nil]
        let item = all.isEmpty ? nil : all[Int.random(in: 0..<all.count, using: &generator)]
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2 where all.count < 30, 0:
            let item = Item(context: context)
            item.group = groups.randomElement(using: &generator) ?? nil
            item.rank = Int32.random(in: 0..<1000, using: &generator)
            item.maker = makers.randomElement(using: &generator)
            all.append(item)
        case 1...4:
            guard let item else { return }
            context.delete(item)
            all.removeAll { $0 === item }
        case 5...6: item?.group = groups.randomElement(using: &generator) ?? nil
        case 7: item?.maker = Bool.random(using: &generator) ? nil : makers.randomElement(using: &generator)
        case 8: item?.rank = Int32.random(in: 0..<1000, using: &generator)
        default:
            makers[0].name = ["Ada", "Cy", "Zoe"].randomElement(using: &generator) ?? ""
        }
    }

    /// Returns the sections and subsections that plain Swift computes.
    private func oracle(_ all: [Item]) -> [String] {
        func order(_ text: String?) -> String { text.map { "1" + $0 } ?? "0" }
        func key(_ item: Item) -> Int64 { item.maker?.objectID.primaryKey ?? -1 }
        let saved = all.sorted { first, second in
            let texts = [(first.group, second.group), (first.maker?.name, second.maker?.name)]
            for (first, second) in texts where first != second { return order(first) < order(second) }
            return first.rank < second.rank
        }
        var words: [(String, [Int32])] = []
        var last: (String?, Int64)?
        for item in saved {
            if let last, last == (item.group, key(item)) {
                words[words.count - 1].1.append(item.rank)
            } else {
                words.append(("\(item.group ?? "")/\(item.maker?.name ?? "")", [item.rank]))
            }
            last = (item.group, key(item))
        }
        return words.map { "\($0): \($1)" }
    }

    /// Checks that no row moves out of a deleted subsection or into a new one in the form for table views.
    private func checkTableViewRules(_ change: ResultsChange) {
        let deleted = change.subsectionEvents.filter { $0.kind == .deletion }.compactMap(\.indexPath)
        let inserted = change.subsectionEvents.filter { $0.kind == .insertion }.compactMap(\.newIndexPath)
        for event in change.forTableViews.rowEvents where event.kind == .move {
            #expect(!deleted.contains(event.indexPath?.prefix(2) ?? []))
            #expect(!inserted.contains(event.newIndexPath?.prefix(2) ?? []))
        }
    }
}
