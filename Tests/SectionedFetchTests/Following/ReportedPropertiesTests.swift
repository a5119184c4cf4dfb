import Foundation
import SectionedFetch
import Testing

/// Updates that are reported for some properties only, and for related objects that are displayed.
@Suite final class ReportedPropertiesTests: FilledWorkshop {
    @discardableResult
    private func follow<Object>(
        _ request: FetchRequest<Object>, by key: SectionKey? = nil, in other: ManagedObjectContext? = nil,
        _ listener: Listener<Object>
    ) throws -> FetchedResultsController<Object> {
        let controller = try FetchedResultsController(
            fetchRequest: request, context: other ?? context, sectionNameKeyPath: key,
            cacheStore: workshop.caches)
        controller.delegate = listener
        listener.controller = controller
        try controller.performFetch()
        return controller
    }

    /// Returns the kinds and ranks of the row events since the last call, or `reload`.
    private func take(_ listener: Listener<Item>) throws -> [String] {
        defer { listener.forget() }
        return try listener.changes.flatMap { change in
            try change.isReload
                ? ["reload"]
                : change.rowEvents.map {
                    "\($0.kind) \(try (context.object(with: $0.objectID) as! Item).rank)"
                }
                .sorted()
        }
    }

    @Test func `only updates of the named properties are reported`() throws {
        let listener = Listener<Item>()
        let controller = try follow(.byRank, listener)
        controller.reportUpdates(of: \.note)
        items[0].group = "x"
        try context.save()
        #expect(listener.changes.isEmpty)
        items[0].note = 1
        items[1].group = "y"
        try context.save()
        #expect(try take(listener) == ["update 1"])
        items[2].group = "z"
        items[2].rank = 0
        context.delete(items[1])
        try context.save()
        #expect(try take(listener).count == 2)
        #expect(controller.fetchedObjects?.count == 2)
        try controller.reportUpdates(ofPropertiesNamed: nil)
        items[0].group = "again"
        try context.save()
        #expect(try take(listener) == ["update 1"])
    }

    @Test func `an update of unknown properties is reported in any case`() throws {
        let listener = Listener<Item>()
        let fresh = workshop.container.newContext()
        let controller = try follow(.byRank, in: fresh, listener)
        controller.reportUpdates(of: \.note)
        try workshop.runElsewhere("UPDATE Item SET \"group\" = 'e' WHERE rank = 2")
        try fresh.mergeChangesFromStore()
        #expect(try take(listener).contains("update 2"))
    }

    @Test func `names that the request cannot follow are an error`() throws {
        let controller = try follow(.byRank, Listener<Item>())
        #expect(throws: ObjectStorageError.self) { try controller.reportUpdates(ofPropertiesNamed: ["nota"]) }
        let error = #expect(throws: ObjectStorageError.self) {
            try controller.reportUpdates(ofPropertiesNamed: ["maker.name"])
        }
        #expect(error?.message.contains("displayedKeyPaths") == true)
        #expect(controller.reportedProperties == nil)
        try controller.reportUpdates(ofPropertiesNamed: ["maker", "note"])
    }

    @Test func `a change of a displayed related object updates the rows that show it`() throws {
        let listener = Listener<Item>()
        let plain = Listener<Item>()
        try follow(.byRank, plain)
        let controller = try follow(FetchRequest.byRank.displaying(\.maker?.name), listener)
        makers[0].name = "Eve"
        try context.save()
        #expect(plain.changes.isEmpty)
        let events = try #require(listener.changes.last).rowEvents
        #expect(events.map(\.changedProperties) == [["maker.name"], ["maker.name"]])
        #expect(events.map { $0.oldValue(of: "maker.name") } == [.text("Ada"), .text("Ada")])
        #expect(try take(listener) == ["update 1", "update 2"])
        // The note of a maker is not displayed, but its row changed.
        controller.reportUpdates(of: \.maker?.name)
        makers[0].note = 3
        try context.save()
        #expect(listener.changes.isEmpty)
        makers[1].name = "Fay"
        try context.save()
        #expect(try take(listener) == ["update 3"])
        items[0].maker = makers[1]
        try context.save()
        #expect(try take(listener) == ["update 1"])
        try workshop.runElsewhere("UPDATE Maker SET name = 'Gil' WHERE name = 'Fay'")
        try context.mergeChangesFromStore()
        #expect(Set(try take(listener)).isSuperset(of: ["update 1", "update 3"]))
    }

    @Test func `unsaved changes of a displayed related object are reported, and their rollback`() throws {
        let listener = Listener<Item>()
        try follow(FetchRequest.byRank.displaying(\.maker?.name), listener)
        makers[1].name = "Eve"
        try context.processPendingChanges()
        #expect(try take(listener) == ["update 3"])
        try context.processPendingChanges()
        #expect(listener.changes.isEmpty)
        context.rollback()
        #expect(try take(listener) == ["update 3"])
    }

    @Test func `a displayed to-many relationship updates the objects that gain, lose or show members`() throws
    {
        let listener = Listener<Maker>()
        let request = FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]).displaying(\.items)
        try follow(request, listener)
        func take() -> [[String]] {
            defer { listener.forget() }
            return listener.changes.map { change in
                change.rowEvents.map { event in
                    makers.first { $0.objectID == event.objectID }?.name ?? "?"
                }.sorted()
            }
        }
        items[0].note = 4
        try context.save()
        #expect(take() == [["Ada"]])
        items[0].maker = makers[1]
        try context.save()
        #expect(take() == [["Ada", "Bob"]])
        context.delete(items[1])
        try context.save()
        #expect(take() == [["Ada"]])
        let item = Item(context: context)
        item.maker = makers[0]
        try context.save()
        #expect(take() == [["Ada"]])
        try workshop.runElsewhere("UPDATE Item SET maker = (SELECT objectID FROM Maker WHERE name = 'Bob')")
        try context.mergeChangesFromStore()
        #expect(take().last == ["Ada", "Bob"])
    }

    @Test func `a cache entry of a request with displayed objects is advanced when they change`() throws {
        let request = FetchRequest.byRank.displaying(\.maker?.name)
        func fetch() throws -> FetchedResultsController<Item> {
            let controller = try FetchedResultsController(
                fetchRequest: request, context: workshop.container.newContext(), cacheName: "shown",
                cacheStore: workshop.caches)
            try controller.performFetch()
            workshop.caches.waitForWrites()
            return controller
        }
        #expect(try fetch().missReason != nil)
        #expect(try fetch().missReason == nil)
        makers[0].name = "Eve"
        try context.save()
        #expect(try fetch().fetchedObjects?.count == 3)
        #expect(try fetch().missReason == nil)
    }

    @Test func `a displayed key path that the model lacks is an error`() throws {
        var request = FetchRequest.byRank
        for path in ["maker.nam", "note.x", "makr", ""] {
            request.displayedKeyPaths = [path]
            #expect(throws: ObjectStorageError.self) {
                try FetchedResultsController(fetchRequest: request, context: context)
            }
        }
    }

    @Test func `one section and one object are observed through the whole results`() async throws {
        let request = FetchRequest<Item>(sortDescriptors: [.ascending(\.group), .ascending(\.rank)])
        let controller = try workshop.controller(request, in: context)
        try controller.performFetch()
        let section = try #require(controller.sections?[name: "a"])
        var parts = controller.changes(inSection: section.id).makeAsyncIterator()
        var objects = controller.changes(ofObjectAt: [0, 0]).makeAsyncIterator()
        items[2].note = 1
        try context.save()
        items[1].group = "b"
        try context.save()
        items[0].note = 1
        try context.save()
        items[2].group = "a"
        try context.save()
        var kinds: [[ResultsChange.Kind]] = []
        for _ in 0..<3 { kinds.append(try #require(try await parts.next()).rowEvents.map(\.kind)) }
        #expect(kinds == [[.deletion], [.update], [.insertion]])
        guard case .event(let event)? = try await objects.next() else {
            Issue.record("The object has no event.")
            return
        }
        #expect(event.kind == .update && event.objectID == items[0].objectID)
        context.delete(items[0])
        context.delete(items[2])
        try context.save()
        let last = try await parts.next()
        #expect(last?.sectionEvents.map(\.kind) == [.deletion] && last?.rowEvents.count == 2)
        guard case .event(let deletion)? = try await objects.next() else {
            Issue.record("The deletion has no event.")
            return
        }
        #expect(deletion.kind == .deletion && deletion.oldValue(of: \Item.note) == 1)
    }

    @Test func `a new object is observed across its first save`() async throws {
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        let item = Item(context: context)
        item.rank = -1
        try controller.performFetch()
        var changes = controller.changes(ofObjectAt: [0, 0]).makeAsyncIterator()
        try context.save()
        item.note = 4
        try context.save()
        guard case .event(let event)? = try await changes.next() else {
            Issue.record("The object has no event.")
            return
        }
        #expect(event.kind == .update && event.changedProperties == ["note"])
    }
}
