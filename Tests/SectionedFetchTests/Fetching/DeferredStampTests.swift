import Foundation
import SectionedFetch
import Synchronization
import Testing

/// A start after another program changed rows stamps the store and leaves the commit to another thread.
@Suite struct DeferredStampTests {
    let catalogue: Catalogue
    let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        try catalogue.fill(100)
        let first = try catalogue.restarted(request, by: "department")
        try first.performFetch()
        first.settle()
    }

    /// The action directly after the fetch.
    enum Next: CaseIterable, Sendable {
        case nothing, save, fetchAgain, fetchElsewhere, lookUp, foreignChange, merge, manyThreads
    }

    private func container(_ connections: StoreOptions.Connections) throws -> PersistentContainer {
        try PersistentContainer(
            url: catalogue.url.appending(path: "store.sqlite"), model: Catalogue.model(),
            options: StoreOptions(connections: connections))
    }

    private func controller(_ context: ManagedObjectContext) throws -> FetchedResultsController<Artwork> {
        try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "department", cacheName: "artworks",
            cacheStore: SectionCacheStore(directory: catalogue.caches.directory))
    }

    private func changeElsewhere(_ title: String) throws {
        try catalogue.runElsewhere(
            "UPDATE Artwork SET title = '\(title)' WHERE objectID = abs(random() % 100) + 1")
    }

    /// Returns the titles in the order of the request, read by the `sqlite3` shell.
    private func titles() throws -> [String] {
        try ForeignProgram.run(
            ["SELECT title FROM Artwork ORDER BY department, title, objectID"],
            store: catalogue.url.appending(path: "store.sqlite")
        ).split(separator: "\n").map(String.init)
    }

    private func carryOut(
        _ next: Next, _ container: PersistentContainer, _ context: ManagedObjectContext,
        _ controller: FetchedResultsController<Artwork>
    ) throws {
        switch next {
        case .nothing: break
        case .save:
            controller.fetchedObjects?.first?.title = "saved"
            try context.save()
        case .fetchAgain:
            try controller.performFetch()
            #expect(
                controller.cacheLookup?.isHit == true, "\(String(describing: controller.cacheLookup))")
        case .fetchElsewhere:
            let found = try container.newContext().fetch(request)
            #expect(found.map(\.title) == controller.fetchedObjects?.map(\.title))
        case .lookUp:
            controller.settle()
            #expect(try controller.lookUpCache()?.isHit == true)
        case .foreignChange: try changeElsewhere("foreign")
        case .merge: try context.mergeChangesFromStore()
        case .manyThreads:
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                do {
                    let other = container.newContext()
                    Artwork(context: other).title = "thread \(number)"
                    try other.save()
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    @Test(arguments: Next.allCases, [StoreOptions.Connections.single, .pool])
    func `the action after a start finds the store stamped, and the next start hits the cache`(
        next: Next, connections: StoreOptions.Connections
    ) throws {
        for number in 0..<8 {
            try changeElsewhere("changed \(number)")
            let container = try container(connections)
            let context = container.newContext()
            let controller = try controller(context)
            try controller.performFetch()
            #expect(controller.cacheLookup?.isAdvanced == true)
            #expect(controller.fetchedObjects?.map { $0.title ?? "" } == (try titles()))
            try carryOut(next, container, context, controller)
            controller.settle()
            let restarted = try catalogue.restarted(request, by: "department")
            try restarted.performFetch()
            #expect(restarted.cacheLookup?.isHit == true, "\(String(describing: restarted.cacheLookup))")
            #expect(restarted.fetchedObjects?.map { $0.title ?? "" } == (try titles()))
            restarted.settle()
        }
    }

    @Test func `later changes of another program are reported row by row`() throws {
        try changeElsewhere("before")
        let listener = Listener<Artwork>()
        let context = try container(.single).newContext()
        let controller = try controller(context)
        controller.delegate = listener
        try controller.performFetch()
        #expect(controller.cacheLookup?.isAdvanced == true)
        try context.mergeChangesFromStore()
        #expect(listener.changes.isEmpty)
        try catalogue.runElsewhere("UPDATE Artwork SET title = 'after' WHERE objectID = 5")
        try context.mergeChangesFromStore()
        #expect(listener.changes.map(\.isReload) == [false])
        #expect(listener.changes.first?.rowEvents.map(\.objectID.primaryKey) == [5])
    }

    @Test func `threads that wait for the connection find no transaction open`() throws {
        let container = try container(.single)
        let isOver = Atomic(false)
        let threads = DispatchGroup()
        for number in 0..<3 {
            DispatchQueue.global().async(group: threads) {
                do {
                    while !isOver.load(ordering: .relaxed) {
                        let context = container.newContext()
                        Note(context: context).text = "\(number)"
                        try context.save()
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        var advanced = 0
        for number in 0..<30 {
            try changeElsewhere("changed \(number)")
            let controller = try controller(container.newContext())
            try controller.performFetch()
            if controller.cacheLookup?.isAdvanced == true { advanced += 1 }
            controller.settle()
        }
        isOver.store(true, ordering: .relaxed)
        threads.wait()
        // A save of another thread may have stamped the changed table first; the entry is advanced
        // nevertheless.
        #expect(advanced == 30)
    }
}
