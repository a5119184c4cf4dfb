import Foundation
import SectionedFetch

/// Follows a controller as its delegate, and checks every change against what a plain look at the results says.
final class ChangeChecker: FetchedResultsControllerDelegate {
    typealias Object = Item

    /// The results at some moment. Objects are held, so that their identities are those of now.
    struct State {
        struct Section {
            let identity: [UInt8]
            let name: String
            let items: [Item]
        }

        var sections: [Section] = []
        var contents: [Item: ItemContent] = [:]

        init() {}

        init(_ controller: FetchedResultsController<Item>, readsMaker: Bool) {
            for section in controller.sections.map(Array.init) ?? [] {
                sections.append(
                    Section(identity: section.identity, name: section.name, items: Array(section.objects)))
            }
            for section in sections {
                for item in section.items { contents[item] = ItemContent(item, readsMaker: readsMaker) }
            }
        }

        var shown: ShownResults {
            ShownResults(
                sections: sections.map {
                    ShownResults.Section(identity: $0.identity, name: $0.name, rows: $0.items.map(\.objectID))
                })
        }
    }

    let list: ItemList
    private(set) var state = State()
    /// Whether updates of rows that show the same are allowed, and moves because of them.
    var mayRepeatUpdates = false
    private(set) var failures: [String] = []
    private(set) var counts: [String: Int] = [:]
    private var events: [ResultsChange.Event] = []
    private var isOpen = false

    init(_ list: ItemList) { self.list = list }

    /// Takes the results as they are for those that the view shows.
    func begin(_ controller: FetchedResultsController<Item>) {
        state = State(controller, readsMaker: list.readsMaker)
    }

    /// Checks that what was reported last is what is there: nothing was kept back.
    func checkNothingIsLeft(_ controller: FetchedResultsController<Item>, fresh: [Item]) {
        let now = State(controller, readsMaker: list.readsMaker)
        if now.shown != state.shown { fail("the results changed without a word") }
        if list.request.includesPendingChanges, now.contents != state.contents {
            let difference = now.contents.filter { state.contents[$0.key] != $0.value }
            fail("rows changed without a word: \(difference)")
        }
        if isOpen { fail("a change was begun and not ended") }
        check(now, controller, against: fresh)
    }

    /// V6: the results are what a fetch finds, grouped by hand.
    private func check(_ now: State, _ controller: FetchedResultsController<Item>, against fresh: [Item]) {
        if now.sections.flatMap(\.items) != fresh { fail("not the objects of a fetch") }
        if controller.fetchedObjects.map(Array.init) != fresh { fail("fetchedObjects differ") }
        guard list.request.includesPendingChanges else { return }
        var groups: [(identity: String?, name: String, items: [Item])] = []
        if list.sectionKey == nil { groups.append((nil, "", [])) }
        for item in fresh {
            let content = ItemContent(item, readsMaker: list.readsMaker)
            if groups.last?.identity != list.identity(content) || groups.isEmpty {
                groups.append((list.identity(content), list.name(content), []))
            }
            groups[groups.count - 1].items.append(item)
        }
        if groups.map(\.items) != now.sections.map(\.items) || groups.map(\.name) != now.sections.map(\.name)
        {
            fail("other sections than by hand: \(groups.map(\.name)), \(now.sections.map(\.name))")
        }
    }

    func fail(_ message: String) { failures.append(message) }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {
        if isOpen { fail("a change inside a change") }
        isOpen = true
        events = []
        // Of a row that is gone there may be another object by now.
        let shown = controller.sections?.map { $0.objects.map(\.objectID) }
        if shown != state.shown.sections.map(\.rows) { fail("not the old results before the first event") }
    }

    func controller(
        _ controller: FetchedResultsController<Item>, didChangeSection event: ResultsChange.SectionEvent
    ) { hear(.section(event), controller) }

    func controller(
        _ controller: FetchedResultsController<Item>, didChangeObject event: ResultsChange.RowEvent
    ) { hear(.row(event), controller) }

    private func hear(_ event: ResultsChange.Event, _ controller: FetchedResultsController<Item>) {
        if !isOpen { fail("an event outside of a change") }
        if case .row(let event) = event, let path = event.newIndexPath,
            controller.objectIfPresent(at: path)?.objectID != event.objectID
        {
            fail("not the new results at an event")
        }
        events.append(event)
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
        if !isOpen { fail("the end of nothing") }
        isOpen = false
    }

    func controller(
        _ controller: FetchedResultsController<Item>, didFailToFollowChanges error: ObjectStorageError
    ) {
        fail("\(error)")
    }

    func controller(_ controller: FetchedResultsController<Item>, didChangeContentWith change: ResultsChange)
    {
        let old = state
        let new = State(controller, readsMaker: list.readsMaker)
        state = new
        if change.isEmpty { fail("an empty change") }
        if change.events != events { fail("other events than told") }
        counts["changes", default: 0] += 1
        for event in change.rowEvents { counts["row \(event.kind)", default: 0] += 1 }
        for event in change.sectionEvents { counts["section \(event.kind)", default: 0] += 1 }
        guard !change.isReload else { return fail("a reload") }
        do {
            let replayed = try old.shown.applying(change)
            if replayed != new.shown {
                fail("replayed:\n\(replayed)\ninstead of\n\(new.shown)\nby \(change.events)")
            }
            let table = change.forTableViews
            if try old.shown.applying(table) != new.shown {
                fail("the table view's events give something else")
            }
            try old.shown.checkTableViewRules(table, new: new.shown)
        } catch {
            fail("\(error)")
        }
        checkOrder(change)
        checkRows(change, old, new)
        checkSections(change, old, new)
    }
}
