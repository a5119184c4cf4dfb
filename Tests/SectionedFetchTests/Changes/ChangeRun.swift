import Foundation
import SectionedFetch
import TestSupport

/// One list with a random history.
final class ChangeRun {
    let checker: ChangeChecker
    private(set) var operations = 0
    private let workshop: Workshop
    private let observed: ManagedObjectContext
    private let other: ManagedObjectContext
    private let controller: FetchedResultsController<Item>
    private let list: ItemList
    private var generator: SeededGenerator
    private var lastNote: Int64 = 0
    private var mayDeleteMakers = true
    /// Every object that the observed context has is held, so that a merge compares it.
    private var held: [ManagedObject] = []

    init(_ list: ItemList, mergesAutomatically: Bool, seed: UInt64) throws {
        self.list = list
        generator = SeededGenerator(seed: seed)
        workshop = try Workshop()
        observed = workshop.container.newContext()
        other = workshop.container.newContext()
        other.automaticallyMergesChanges = true
        observed.automaticallyMergesChanges = mergesAutomatically
        observed.mergePolicy = .contextWins
        other.mergePolicy = .contextWins
        controller = try FetchedResultsController(
            fetchRequest: list.request, context: observed, sectionNameKeyPath: list.sectionKey,
            cacheName: mergesAutomatically ? "items" : nil, cacheStore: workshop.caches)
        checker = ChangeChecker(list)
        for number in 0..<8 { Maker(context: other).name = "m\(number)" }
        try other.save()
        for _ in 0..<Int.random(in: 0..<120, using: &generator) { try insert(in: other) }
        try other.save()
        try observed.mergePendingChanges()
        try controller.performFetch()
        controller.delegate = checker
        try controller.performFetch()
        try hold()
        checker.begin(controller)
    }

    private func hold() throws {
        held = try observed.fetch(FetchRequest<Item>()) + observed.fetch(FetchRequest<Maker>())
    }

    /// One batch and what it must lead to.
    func step() throws -> String {
        let action = try act()
        try hold()
        checker.checkNothingIsLeft(controller, fresh: try observed.fetch(list.request))
        return action
    }

    private func act() throws -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...3:
            try change(in: observed)
            try observed.save()
            return "save"
        case 4:
            try change(in: observed)
            try observed.processPendingChanges()
            try settle()
            return "process"
        case 5...6:
            try change(in: other)
            let changes = try other.save()
            try merge(changes)
            return "merge"
        case 7:
            try change(in: other)
            var changes = try other.save()
            try change(in: other)
            changes.append(try other.save())
            try merge(changes)
            return "merge of two saves"
        case 8:
            let changes = try batch(in: other)
            try merge(changes)
            return "merge of a batch operation"
        default:
            _ = try batch(in: observed)
            return "batch operation"
        }
    }

    /// Ends what was processed and not saved: in either way, and with more changes before it.
    private func settle() throws {
        try hold()
        checker.checkNothingIsLeft(controller, fresh: try observed.fetch(list.request))
        if list.request.includesPendingChanges, !observed.deletedObjects.contains(where: { $0 is Maker }),
            Int.random(in: 0..<3, using: &generator) == 0
        {
            return try settleConflicts()
        }
        if Bool.random(using: &generator) { try change(in: observed) }
        if Bool.random(using: &generator) { try observed.save() } else { observed.rollback() }
    }

    /// Others change the same rows meanwhile, but delete no maker, to which unsaved items would lead in vain. Then a row may be told of again that shows what it showed: a conflict was settled.
    private func settleConflicts() throws {
        checker.mayRepeatUpdates = true
        mayDeleteMakers = false
        defer {
            checker.mayRepeatUpdates = false
            mayDeleteMakers = true
        }
        try change(in: other)
        try merge(try other.save())
        try hold()
        checker.checkNothingIsLeft(controller, fresh: try observed.fetch(list.request))
        if Bool.random(using: &generator) { try change(in: observed) }
        if Bool.random(using: &generator) { try observed.save() } else { observed.rollback() }
    }

    private func merge(_ changes: StoreChanges) throws {
        if observed.automaticallyMergesChanges {
            try observed.mergePendingChanges()
        } else {
            try observed.mergeChanges(from: changes)
        }
    }

    private var note: Int64 {
        lastNote += 1
        return lastNote
    }

    private func group() -> String? {
        let number = Int.random(in: 0..<9, using: &generator)
        return number == 0 ? nil : number == 1 ? "" : "g\(number)"
    }

    private func insert(in context: ManagedObjectContext) throws {
        let item = Item(context: context)
        item.group = group()
        item.rank = Int32.random(in: 0..<100, using: &generator)
        item.note = note
        item.maker = try context.fetch(FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]))
            .randomElement(using: &generator)
    }

    private func change(in context: ManagedObjectContext) throws {
        let isLarge = Int.random(in: 0..<15, using: &generator) == 0
        for _ in 0..<Int.random(in: isLarge ? 20..<60 : 1..<6, using: &generator) {
            try changeOnce(in: context)
        }
    }

    private func changeOnce(in context: ManagedObjectContext) throws {
        operations += 1
        let items = try context.fetch(FetchRequest<Item>())
        let makers = try context.fetch(FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]))
        guard let item = items.randomElement(using: &generator),
            let maker = makers.randomElement(using: &generator)
        else { return try insert(in: context) }
        switch Int.random(in: 0..<13, using: &generator) {
        case 0...2: if items.count < 200 { try insert(in: context) } else { context.delete(item) }
        case 3...4: context.delete(item)
        case 5...6:
            item.rank = Int32.random(in: 0..<100, using: &generator)
            item.note = note
        case 7:
            item.group = group()
            item.note = note
        case 8: item.note = note
        case 9:
            item.maker = Int.random(in: 0..<5, using: &generator) == 0 ? nil : maker
            item.note = note
        case 10:
            maker.name = "m\(Int.random(in: 0..<4, using: &generator)) \(note)"
        case 11: maker.note = Bool.random(using: &generator) ? note : -note
        default:
            if makers.count > 4, mayDeleteMakers {
                context.delete(maker)
            } else {
                Maker(context: context).name = "n\(note)"
            }
        }
    }

    /// One statement over many rows, told by identities or by entity.
    private func batch(in context: ManagedObjectContext) throws -> StoreChanges {
        operations += 1
        let resultType: BatchResultType = Bool.random(using: &generator) ? .count : .objectIDs
        let low = Int32.random(in: 0..<100, using: &generator)
        let request = FetchRequest<Item>(predicate: \.rank >= low && \.rank < low + 8)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            return try context.batchDelete(request, resultType: resultType).changes
        case 1:
            return try context.batchUpdate(
                FetchRequest<Maker>(predicate: \.note < 0), set: [.set(\.note, to: note)],
                resultType: resultType
            ).changes
        case 2:
            let rows: [[String: StoredValue]] = (0..<5).map { _ in
                [
                    "group": group().map { .text($0) } ?? .null, "rank": .integer(Int64(low)),
                    "note": .integer(note),
                ]
            }
            return try context.batchInsert(Item.self, rows: rows, resultType: resultType).changes
        case 3:
            return try context.batchUpdate(
                request, set: [.set(\.group, to: group()), .set(\.note, to: note)], resultType: resultType
            ).changes
        default:
            let rank = Int32.random(in: 0..<100, using: &generator)
            return try context.batchUpdate(
                request, set: [.set(\.rank, to: rank), .set(\.note, to: note)], resultType: resultType
            ).changes
        }
    }
}
