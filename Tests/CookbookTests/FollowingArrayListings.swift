import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// The listings of the article “Following Changes” that keep an array equal to the results.
@Suite struct FollowingArrayListings {
    /// The sections and rows that a table view shows, changed by the reported events alone.
    private final class GoodsTable: FetchedResultsControllerDelegate {
        struct Section: Equatable {
            var name: String
            var rows: [String] = []
        }

        private(set) var sections: [Section] = []

        /// Reads all results: after the first fetch, and after a reload.
        func readAll(of controller: FetchedResultsController<Goods>) {
            sections = controller.sections?.map { Section(name: $0.name, rows: $0.map(\.name)) } ?? []
        }

        func controller(
            _ controller: FetchedResultsController<Goods>, didChangeContentWith change: ResultsChange
        ) {
            guard !change.isReload else { return readAll(of: controller) }
            let (sectionEvents, rowEvents) = (change.sectionEvents, change.forTableViews.rowEvents)
            // Rows, then sections, leave their old positions.
            let oldPaths = rowEvents.filter { $0.kind != .update }.compactMap(\.indexPath)
            for path in oldPaths.sorted(by: >) { sections[path.section].rows.remove(at: path.row) }
            let old = sections
            let moving = sectionEvents.filter { $0.kind != .update }
            for position in moving.compactMap(\.oldPosition).sorted(by: >) { sections.remove(at: position) }
            // Sections, then rows, arrive at their new positions.
            for event in moving.sorted(by: { $0.newPosition ?? 0 < $1.newPosition ?? 0 }) {
                guard let position = event.newPosition else { continue }
                sections.insert(event.oldPosition.map { old[$0] } ?? Section(name: event.name), at: position)
            }
            let newPaths = rowEvents.filter { $0.kind != .update }.compactMap(\.newIndexPath)
            for path in newPaths.sorted() {
                sections[path.section].rows.insert(controller.object(at: path).name, at: path.row)
            }
            // Updates change names and texts in place.
            for event in sectionEvents where event.kind == .update {
                if let position = event.newPosition { sections[position].name = event.name }
            }
            for event in rowEvents where event.kind == .update {
                guard let path = event.newIndexPath else { continue }
                sections[path.section].rows[path.row] = controller.object(at: path).name
            }
        }
    }

    /// Records the reported changes.
    private final class Recorder: SharedResultsDelegate {
        private(set) var changes: [ResultsChange] = []

        func controller<Object>(
            _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
        ) {
            changes.append(change)
        }
    }

    /// Makes a random change of goods or warehouses, which is not saved.
    private func change(
        _ goods: inout [Goods], _ warehouses: [Warehouse], in context: ManagedObjectContext,
        _ number: Int, _ generator: inout SeededGenerator
    ) {
        let name = ["Apple", "Leek", "Pear", "Rye"].randomElement(using: &generator) ?? ""
        let warehouse = warehouses.randomElement(using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where goods.count < 8:
            let new = Goods(context: context)
            (new.name, new.warehouse) = (name, warehouse)
            goods.append(new)
        case 1 where !goods.isEmpty:
            context.delete(goods.remove(at: Int.random(in: goods.indices, using: &generator)))
        case 2: goods.randomElement(using: &generator)?.name = name
        case 3: goods.randomElement(using: &generator)?.warehouse = warehouse
        // The number makes the name unique.
        default: warehouse?.name = "\(name) \(number)"
        }
    }

    @Test func `an array to which each change is applied equals the results`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Goods.self, Warehouse.self))
        let context = container.newContext()
        let warehouses = ["North", "South", "East", "West"].map { name in
            let warehouse = Warehouse(context: context)
            warehouse.name = name
            return warehouse
        }
        var goods: [Goods] = []
        for warehouse in warehouses {
            let new = Goods(context: context)
            (new.name, new.warehouse) = ("Apple", warehouse)
            goods.append(new)
        }
        try context.save()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(
                sortDescriptors: [.ascending("warehouse.name"), .ascending(\.name)]),
            context: context, sectionNameKeyPath: SectionKey("warehouse", namedBy: "warehouse.name"))
        let recorder = Recorder()
        controller.sharedDelegate = recorder

        let table = GoodsTable()
        controller.delegate = table
        try controller.performFetch()
        table.readAll(of: controller)

        var generator = SeededGenerator(seed: SeededGenerator.newSeed("an array that follows a list"))
        for number in 0..<300 {
            // Each tenth change is a reload.
            controller.reloadThreshold = number % 10 == 9 ? 1 : 10_000
            for part in 0..<Int.random(in: 1...4, using: &generator) {
                change(&goods, warehouses, in: context, number * 10 + part, &generator)
            }
            try context.save()
            let sections = try #require(controller.sections)
            let expected = sections.map { GoodsTable.Section(name: $0.name, rows: $0.map(\.name)) }
            try #require(table.sections == expected, "change \(number)")
        }
        let compared = recorder.changes.filter { !$0.isReload }
        #expect(compared.count < recorder.changes.count)
        #expect(Set(compared.flatMap(\.sectionEvents).map(\.kind)) == Set(ResultsChange.Kind.allCases))
        #expect(Set(compared.flatMap(\.rowEvents).map(\.kind)) == Set(ResultsChange.Kind.allCases))
        #expect(compared.contains { $0.forTableViews != $0 })
    }
}
