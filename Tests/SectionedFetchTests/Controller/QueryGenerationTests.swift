import Foundation
import SectionCaching
import SectionedFetch
import Testing

/// Contexts that are pinned to one state of their store.
@Suite(.timeLimit(.minutes(30))) struct QueryGenerationTests {
    @Test(arguments: StoreKind.allCases)
    func `a pinned context reads everything from one state`(kind: StoreKind) throws {
        let store = try NumberedStore(kind)
        try store.advance()
        let expected = try store.present()
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        let list = try context.list(
            FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)], fetchBatchSize: 7))
        for _ in 0..<3 { try store.advance() }
        #expect(try store.present() != expected)
        #expect(try NumberedStore.rows(context) == expected)
        #expect(try context.count(for: FetchRequest<Item>()) == NumberedStore.count + 1)
        #expect(Set(list.map(\.note)) == [1])
        #expect(try context.fetchDistinctValues(of: \.note, in: FetchRequest<Item>()) == [1])
        let object = try #require(try context.fetch(FetchRequest<Item>()).first)
        context.refresh(object)
        #expect(object.note == 1)
        #expect(object.maker?.note == 1)
        #expect(object.maker?.items.count == NumberedStore.count + 1)
        let controller = try store.controller(in: context, cacheName: "pinned")
        try controller.performFetch()
        try store.advance()
        #expect(try NumberedStore.rows(controller) == expected)
        #expect(store.caches.waitForWrites())
        try context.setQueryGeneration(from: nil)
        context.refreshAllObjects()
        #expect(try NumberedStore.rows(context) == store.present())
    }

    @Test(arguments: StoreKind.allCases)
    func `unsaved changes take part in fetches of the pinned state`(kind: StoreKind) throws {
        let store = try NumberedStore(kind)
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        var expected = try NumberedStore.rows(context)
        try store.advance()
        let item = Item(context: context)
        (item.group, item.rank, item.note) = ("a", 1, 9)
        let last = try #require(try context.fetch(NumberedStore.request).last)
        expected.removeLast()
        (last.group, last.rank) = ("b", 2)
        expected = ["a/1/9", "b/2/0"] + expected
        #expect(try NumberedStore.rows(context) == expected)
        // A child reads its parent's unsaved changes on top of the state that the parent is pinned to.
        let child = context.newChildContext()
        #expect(try NumberedStore.rows(child) == expected)
        try store.advance()
        #expect(try NumberedStore.rows(child) == expected)
        #expect(child.queryGenerationToken === context.queryGenerationToken)
        context.rollback()
        try context.setQueryGeneration(from: nil)
    }

    @Test func `a save, a merge and a reset move the pin, and a failed save leaves it`() throws {
        let store = try NumberedStore(.single)
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        #expect(context.queryGenerationToken === QueryGenerationToken.current)
        let before = try NumberedStore.rows(context)
        let first = context.queryGenerationToken
        #expect(first !== QueryGenerationToken.current)

        try store.advance()
        let item = Item(context: context)
        item.group = "saved"
        try context.save()
        #expect(context.queryGenerationToken === QueryGenerationToken.current)
        context.refreshAllObjects()
        #expect(try NumberedStore.rows(context) == store.present())
        let second = context.queryGenerationToken

        try store.advance()
        item.group = "changed on both sides"
        #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(context.queryGenerationToken === second)
        context.rollback()

        try context.mergeChangesFromStore()
        #expect(try NumberedStore.rows(context) == store.present())
        try store.advance()
        context.reset()
        #expect(try NumberedStore.rows(context) == store.present())

        // The token alone keeps the first state.
        let other = store.container.newContext()
        try other.setQueryGeneration(from: first)
        #expect(try NumberedStore.rows(other) == before)
    }

    @Test func `a token belongs to one container, and a child is pinned by its parent only`() throws {
        let store = try NumberedStore(.single)
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        _ = try NumberedStore.rows(context)
        let other = store.writer.newContext()
        #expect {
            try other.setQueryGeneration(from: context.queryGenerationToken)
        } throws: { ($0 as? ObjectStorageError)?.code == .wrongContext }
        #expect(other.queryGenerationToken == nil)
        let child = context.newChildContext()
        #expect {
            try child.setQueryGeneration(from: .current)
        } throws: { ($0 as? ObjectStorageError)?.code == .wrongContext }
    }

    @Test(arguments: ["PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "REINDEX; ANALYZE"])
    func `a pinned state survives 40 commits, checkpoints and a rewritten file`(sql: String) throws {
        let store = try NumberedStore(.single)
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        let expected = try NumberedStore.rows(context)
        for number in 0..<40 {
            try store.advance()
            guard number % 10 == 0 else { continue }
            // A checkpoint that would have to wait for the state gives up.
            try store.runAtOnce(sql)
            context.refreshAllObjects()
            #expect(try NumberedStore.rows(context) == expected)
        }
        let controller = try store.controller(in: context)
        try controller.performFetch()
        #expect(try NumberedStore.rows(controller) == expected)
        try context.setQueryGeneration(from: .current)
        context.refreshAllObjects()
        #expect(try NumberedStore.rows(context) == store.present())
    }

    @Test(arguments: [StoreKind.single, .rollbackJournal])
    func `a pinned context does not block writers`(kind: StoreKind) throws {
        let store = try NumberedStore(kind)
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        let expected = try NumberedStore.rows(context)
        #expect(try store.runAtOnce("UPDATE Item SET note = 5") == 0)
        try store.advance()
        context.refreshAllObjects()
        #expect(try NumberedStore.rows(context) == expected)
        // The pin does not block saves of the context itself either.
        Item(context: context).group = "own"
        try context.save()
        context.refreshAllObjects()
        #expect(try NumberedStore.rows(context) == store.present())
    }

    @Test func `an entry of an earlier state does not replace the entry of the current state`() throws {
        let store = try NumberedStore(.single)
        let pinned = store.container.newContext()
        try pinned.setQueryGeneration(from: .current)
        let expected = try NumberedStore.rows(pinned)
        try store.advance()
        let present = try store.controller(in: store.container.newContext(), cacheName: "n")
        try present.performFetch()
        #expect(store.caches.waitForWrites())
        let previous = try store.controller(in: pinned, cacheName: "n")
        try previous.performFetch()
        #expect(try NumberedStore.rows(previous) == expected)
        #expect(store.caches.waitForWrites())
        let next = try store.controller(in: store.container.newContext(), cacheName: "n")
        try next.performFetch()
        #expect(next.cacheLookup?.isHit == true)
        #expect(try NumberedStore.rows(next) == store.present())
    }

    @Test(arguments: [StoreKind.single, .rollbackJournal])
    func `a fetch stamps tables that another program changed before it pins the context`(
        kind: StoreKind
    ) throws {
        let store = try NumberedStore(kind)
        for isHit in [false, true] {
            let context = store.container.newContext()
            try context.setQueryGeneration(from: .current)
            if !isHit {
                try ForeignProgram.run(
                    ["UPDATE Item SET note = 5"], store: store.folder.appending(path: "store.sqlite"))
            }
            let controller = try store.controller(in: context, cacheName: "n")
            try controller.performFetch()
            #expect(controller.cacheLookup?.isHit == isHit)
            #expect(try NumberedStore.rows(controller) == store.present())
            #expect(store.caches.waitForWrites())
        }
    }

    @Test func `a followed list reports the state that a merge moved the pin to`() throws {
        let store = try NumberedStore(.single)
        let context = store.container.newContext()
        try context.setQueryGeneration(from: .current)
        let controller = try store.controller(in: context, cacheName: "n")
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        try controller.performFetch()
        for _ in 0..<5 {
            let previous = try NumberedStore.rows(controller)
            try store.advance()
            #expect(try NumberedStore.rows(controller) == previous)
            #expect(keeper.take().isEmpty)
            try context.mergeChangesFromStore()
            #expect(keeper.take().count == 1)
            try store.advance()
            let rows = try NumberedStore.rows(controller)
            #expect(Set(rows.compactMap { $0.split(separator: "/").last }).count == 1)
            #expect(rows == rows.sorted { $0.split(separator: "/")[0] < $1.split(separator: "/")[0] })
            try context.mergeChangesFromStore()
            #expect(keeper.take().count == 1)
            #expect(try NumberedStore.rows(controller) == store.present())
        }
    }

    @Test(arguments: [StoreKind.single, .pool, .applicationsPool])
    func `each context pinned while another thread commits shows one number in all rows`(
        kind: StoreKind
    ) throws {
        let store = try NumberedStore(kind)
        let commits = Commits(150, to: store.writer)
        var numbers: Set<Int64> = []
        while !commits.areDone {
            let context = store.container.newContext()
            try context.setQueryGeneration(from: .current)
            let request = FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)], fetchBatchSize: 10)
            let notes = Set(try context.list(request).map(\.note))
            let counted = try context.count(for: FetchRequest<Item>(predicate: \.note == (notes.first ?? -1)))
            #expect(notes.count == 1)
            #expect(counted == NumberedStore.count)
            numbers.formUnion(notes)
        }
        #expect(commits.failure == nil)
        #expect(numbers.count > 5)
    }

    @Test(arguments: StoreKind.allCases)
    func `sections by the library's SQL functions are computed on every kind of store`(
        kind: StoreKind
    ) throws {
        let store = try NumberedStore(kind)
        for isPinned in [false, true] {
            let context = store.container.newContext()
            if isPinned { try context.setQueryGeneration(from: .current) }
            let controller = try FetchedResultsController(
                fetchRequest: NumberedStore.request, context: context,
                sectionNameKeyPath: .firstLetter(of: \Item.group))
            try controller.performFetch()
            #expect(controller.sections?.map(\.name) == ["G"])
        }
    }
}
