import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Sections that a view shows without their rows.
@Suite final class CollapsedSectionTests: FilledWorkshop {
    /// The sections of a view: the rows of expanded ones, and the numbers of rows of collapsed ones.
    private struct Shown: Equatable {
        var identity: [UInt8]
        var rows: [ObjectID] = []
        var count = 0
    }

    private func follow(_ listener: Listener<Item>) throws -> FetchedResultsController<Item> {
        let controller = try workshop.controller(in: context)
        controller.delegate = listener
        try controller.performFetch()
        return controller
    }

    @Test func `rows that move into or out of a collapsed section are deletions or insertions`() throws {
        let listener = Listener<Item>()
        let controller = try follow(listener)
        controller.collapsedSections = [try #require(controller.sections?[name: "a"]).id]
        #expect(controller.sections?.map(\.isCollapsed) == [true, false])
        items[2].group = "a"
        items[0].group = "b"
        try context.save()
        let change = try #require(listener.changes.last)
        #expect(change.rowEvents.map(\.kind) == [.deletion, .insertion])
        #expect(change.rowEvents.map(\.objectID) == [items[2].objectID, items[0].objectID])
        let update = try #require(change.sectionEvents.first { $0.kind == .update })
        #expect(update.name == "a" && update.oldNumberOfObjects == 2 && update.newNumberOfObjects == 2)
        listener.forget()
        context.delete(items[1])
        context.delete(items[2])
        try context.save()
        // A collapsed section that disappears has a deletion and nothing else.
        #expect(listener.changes.last?.events.count == 1)
        #expect(listener.changes.last?.sectionEvents.map(\.kind) == [.deletion])
    }

    @Test func `random changes give a view with collapsed sections its new contents`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let listener = Listener<Item>()
        let controller = try follow(listener)
        var shown = look(controller)
        for step in 0..<300 {
            if Int.random(in: 0..<6, using: &generator) == 0 {
                let sections = controller.sections.map { Array($0) } ?? []
                controller.collapsedSections = Set(
                    sections.filter { _ in Bool.random(using: &generator) }.map(\.id))
                shown = look(controller)
            }
            for _ in 0..<Int.random(in: 1...4, using: &generator) { try change(&generator) }
            try context.save()
            for change in listener.changes {
                shown = applying(change, to: shown, controller.collapsedSections)
            }
            listener.forget()
            let now = look(controller)
            guard shown == now else {
                Issue.record("seed \(seed), step \(step): \(shown) instead of \(now)")
                return
            }
        }
    }

    private func change(_ generator: inout SeededGenerator) throws {
        let all = try context.fetch(FetchRequest<Item>.byRank)
        let groups: [String?] = ["a", "b", "c", nil]
        guard let item = all.randomElement(using: &generator), Int.random(in: 0..<4, using: &generator) > 0
        else {
            let item = Item(context: context)
            item.group = groups.randomElement(using: &generator) ?? nil
            item.rank = Int32.random(in: 0..<1_000, using: &generator)
            return
        }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: context.delete(item)
        case 1: item.group = groups.randomElement(using: &generator) ?? nil
        case 2: item.rank = Int32.random(in: 0..<1_000, using: &generator)
        default: item.note += 1
        }
    }

    /// Returns the contents of a view of the results.
    private func look(_ controller: FetchedResultsController<Item>) -> [Shown] {
        (controller.sections.map { Array($0) } ?? []).map { section in
            let isCollapsed = controller.collapsedSections.contains(section.id)
            return Shown(
                identity: section.id, rows: isCollapsed ? [] : section.map(\.objectID),
                count: isCollapsed ? section.numberOfObjects : 0)
        }
    }

    /// Returns the contents of a view after a change, from the events of the change alone.
    private func applying(
        _ change: ResultsChange, to shown: [Shown], _ collapsed: Set<[UInt8]>
    ) -> [Shown] {
        var result = shown
        let rows = change.rowEvents.filter { $0.kind == .deletion || $0.kind == .move }
        for path in rows.compactMap(\.indexPath).sorted(by: >) { result[path[0]].rows.remove(at: path[1]) }
        var carried: [[UInt8]: Shown] = [:]
        let leaving = change.sectionEvents.filter { $0.kind == .deletion || $0.kind == .move }
        for event in leaving.sorted(by: { ($0.oldPosition ?? 0) > ($1.oldPosition ?? 0) }) {
            carried[event.identity] = result.remove(at: event.oldPosition ?? 0)
        }
        let coming = change.sectionEvents.filter { $0.kind == .insertion || $0.kind == .move }
        for event in coming.sorted(by: { ($0.newPosition ?? 0) < ($1.newPosition ?? 0) }) {
            let count = collapsed.contains(event.identity) ? event.newNumberOfObjects ?? 0 : 0
            let new = Shown(identity: event.identity, count: count)
            result.insert(
                event.kind == .move ? carried[event.identity] ?? new : new, at: event.newPosition ?? 0)
        }
        for event in change.sectionEvents
        where event.kind == .update && collapsed.contains(event.identity) {
            result[event.newPosition ?? 0].count = event.newNumberOfObjects ?? 0
        }
        let added = change.rowEvents.filter { $0.kind == .insertion || $0.kind == .move }
        for event in added.sorted(by: { ($0.newIndexPath ?? []) < ($1.newIndexPath ?? []) }) {
            let path = event.newIndexPath ?? []
            result[path[0]].rows.insert(event.objectID, at: path[1])
        }
        return result
    }
}
