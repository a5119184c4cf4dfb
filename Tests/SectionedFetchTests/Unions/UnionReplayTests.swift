import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Random histories of a list of the objects of several entities.
@Suite final class UnionReplayTests {
    private let library: MediaLibrary
    private let context: ManagedObjectContext
    private let items: [ManagedObject]

    init() throws {
        library = try MediaLibrary()
        context = library.container.newContext()
        items = try library.fill(context).items
    }

    @Test func `random changes in three tables lead from the old results to the new ones`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let listener = Listener<ManagedObject>()
        let controller = try library.controller(cacheName: "media", in: context)
        controller.delegate = listener
        try controller.performFetch()
        var shown = ShownTitles(controller)
        var all = items.compactMap { $0 as? any Titled }
        for step in 0..<400 {
            for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&all, &generator) }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                context.rollback()
                all = try context.fetch(MediaLibrary.byTitle).compactMap { $0 as? any Titled }
            case 1...3: try context.processPendingChanges()
            default: try context.save()
            }
            for change in listener.changes {
                #expect(!change.isReload)
                shown.apply(change, controller)
            }
            listener.forget()
            let sorted = all.sorted { first, second in
                let titles = (first.title.lowercased(), second.title.lowercased())
                guard titles.0 == titles.1 else { return titles.0 < titles.1 }
                return rank(first) < rank(second)
            }
            // The keys of unsaved objects of one table depend on their entities as well.
            let isInOrder = context.hasChanges || controller.fetchedObjects?.map({ $0 }) == sorted
            guard shown.titles == sorted.map(\.title), isInOrder else {
                Issue.record("seed \(seed), step \(step): \(shown.titles), \(sorted.map(\.title))")
                return
            }
        }
    }

    private func rank(_ item: any Titled) -> (Int, Int64) {
        let kind = ["Track": 0, "Podcast": 1][item.entity.name] ?? 2
        return (kind, item.objectID.unsavedKey)
    }

    private func change(_ all: inout [any Titled], _ generator: inout SeededGenerator) {
        let title =
            ["a", "B", "c", "d"][Int.random(in: 0..<4, using: &generator)]
            + String(Int.random(in: 0..<20, using: &generator))
        guard let position = all.indices.randomElement(using: &generator) else {
            return all.append(Track(context: context))
        }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where all.count < 40:
            let new: any Titled =
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: Track(context: context)
                case 1: Podcast(context: context)
                case 2: Audiobook(context: context)
                default: RadioPlay(context: context)
                }
            new.title = title
            all.append(new)
        case 1 where all.count > 3: context.delete(all.remove(at: position))
        case 2: all[position].year = Int64.random(in: 1900..<2000, using: &generator)
        default: all[position].title = title
        }
    }
}

/// The titles of a list with sections as a view shows them, changed by events alone.
private struct ShownTitles {
    private var sections: [[String]]

    init(_ controller: FetchedResultsController<ManagedObject>) {
        sections = (controller.sections.map(Array.init) ?? []).map {
            $0.map { ($0 as? any Titled)?.title ?? "?" }
        }
    }

    var titles: [String] { sections.flatMap { $0 } }

    mutating func apply(_ change: ResultsChange, _ controller: FetchedResultsController<ManagedObject>) {
        func title(_ path: IndexPath?) -> String {
            path.flatMap { (controller.objectIfPresent(at: $0) as? any Titled)?.title } ?? "?"
        }
        let rows = change.rowEvents
        for event in rows.filter({ $0.kind == .deletion || $0.kind == .move }).sorted(by: {
            ($0.indexPath ?? []) > ($1.indexPath ?? [])
        }) {
            if let path = event.indexPath { sections[path[0]].remove(at: path[1]) }
        }
        for event in change.sectionEvents.sorted(by: { ($0.oldPosition ?? 0) > ($1.oldPosition ?? 0) })
        where event.kind == .deletion {
            if let position = event.oldPosition { sections.remove(at: position) }
        }
        for event in change.sectionEvents where event.kind == .insertion {
            if let position = event.newPosition { sections.insert([], at: position) }
        }
        for event in rows.filter({ $0.kind != .deletion }).sorted(by: {
            ($0.newIndexPath ?? []) < ($1.newIndexPath ?? [])
        }) {
            guard let path = event.newIndexPath else { continue }
            if event.kind == .update {
                sections[path[0]][path[1]] = title(path)
            } else {
                sections[path[0]].insert(title(path), at: path[1])
            }
        }
    }
}
