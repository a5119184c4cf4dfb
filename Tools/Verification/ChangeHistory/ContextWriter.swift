import Foundation
import SectionedFetch
import CheckSupport

/// Changes objects of a context at random, and records which rows it changed.
final class ContextWriter {
    let context: ManagedObjectContext
    private let warehouse: Warehouse
    /// The rows with unsaved changes by this writer.
    private(set) var written: Set<ObjectID> = []
    private var relinked: [ManagedObject] = []
    private var orphaned: [ManagedObject] = []
    private var parts: [ObjectID] = []
    private var shelves: [ObjectID] = []
    private var halls: [ObjectID] = []
    private var tags: [ManagedObject] = []

    init(_ context: ManagedObjectContext, _ warehouse: Warehouse) {
        self.context = context
        self.warehouse = warehouse
    }

    /// Reads which objects the context has.
    ///
    /// - Parameter avoided: Objects that another context or program is about to change.
    func look(avoiding avoided: Set<ObjectID> = []) throws {
        // The fetch can cause a report, and the report more changes, so the fetch comes before everything
        // else.
        if tags.isEmpty { tags = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")) }
        var inventory = try warehouse.committed()
        try inventory.overlay(context)
        let unsaved = context.insertedObjects
        parts =
            inventory.savedParts.filter { !avoided.contains($0) }
            + unsaved.filter { inventory.parts[$0.plainID] != nil }.map(\.objectID)
        shelves =
            inventory.savedShelves.filter { !avoided.contains($0) }
            + unsaved.filter { inventory.shelves[$0.plainID] != nil }.map(\.objectID)
        halls = inventory.savedHalls
    }

    /// Makes a number of random changes.
    func change(
        _ count: Int, _ generator: inout SeededGenerator, _ plan: HistoryPlan, mayDeleteShelves: Bool = true
    ) throws {
        for _ in 0..<count {
            if parts.isEmpty || shelves.isEmpty {
                try insert(&generator, plan)
            } else {
                try changeOnce(&generator, plan, mayDeleteShelves: mayDeleteShelves)
            }
        }
    }

    private func changeOnce(
        _ generator: inout SeededGenerator, _ plan: HistoryPlan, mayDeleteShelves: Bool
    ) throws {
        let index = Int.random(in: 0..<parts.count, using: &generator)
        let shelf = generator.one(of: shelves)
        switch Int.random(in: 0..<40, using: &generator) {
        case 0...9 where parts.count < plan.numberOfParts, 0...3: try insert(&generator, plan)
        case 4...12:
            let part = try object(parts.remove(at: index))
            note(part)
            context.delete(part)
        case 13...28:
            for _ in 0..<(generator.once(in: 3) ? 2 : 1) {
                try set(
                    generator.one(of: WarehouseSchema.Field.allCases), of: object(parts[index]), &generator,
                    plan)
            }
        case 29...31:
            let part = try object(parts[index])
            note(part)
            let target = generator.once(in: 5) ? nil : try object(shelf)
            try part.setRelatedObject(target, forRelationship: "shelf")
        case 32:
            // Two parts exchange the values that lists sort by.
            let (first, second) = (try object(parts[index]), try object(generator.one(of: parts)))
            for name in ["rank", "name", "lot"] {
                let value = try first.value(forProperty: name)
                try first.setValue(second.value(forProperty: name), forProperty: name)
                try second.setValue(value, forProperty: name)
            }
            note(first)
            note(second)
        case 33:
            let part = try object(parts[index])
            try part.setValue(part.value(forProperty: "rank"), forProperty: "rank")
        case 34: try changeTags(of: object(parts[index]), &generator)
        case 35...36:
            let shelf = try object(shelf)
            note(shelf)
            try shelf.setValue(.text(plan.newShelfName(&generator)), forProperty: "name")
        case 37:
            let shelf = try object(shelf)
            note(shelf)
            if generator.once(in: 2) {
                try shelf.setValue(.integer(generator.number(below: 6)), forProperty: "note")
            } else {
                try shelf.setRelatedObject(object(generator.one(of: halls)), forRelationship: "hall")
            }
        case 38:
            let hall = try object(generator.one(of: halls))
            note(hall)
            try hall.setValue(.text("h\(generator.number(below: 4))"), forProperty: "name")
        default:
            if shelves.count > 3, mayDeleteShelves, generator.once(in: 2) {
                let shelf = try object(shelf)
                // The unsaved change of a part that was just put on this shelf ends without an effect.
                for part in try shelf.relatedObjects("parts") {
                    note(part)
                    orphaned.append(part)
                }
                note(shelf)
                context.delete(shelf)
                shelves.removeAll { $0 == shelf.objectID }
            } else if shelves.count < 12 {
                let shelf = try context.insert(entityNamed: "Shelf")
                try shelf.setValue(.text(plan.newShelfName(&generator)), forProperty: "name")
                try shelf.setRelatedObject(object(generator.one(of: halls)), forRelationship: "hall")
                shelves.append(shelf.objectID)
            }
        }
    }

    private func object(_ id: ObjectID) throws -> ManagedObject { try context.object(with: id) }

    private func note(_ object: ManagedObject) {
        written.insert(object.plainID)
    }

    /// Deletes a shelf without reading its parts, so that only the store knows which parts lose their shelf.
    func deleteShelfUnread(_ generator: inout SeededGenerator) throws {
        guard shelves.count > 3 else { return }
        let shelf = try object(generator.one(of: shelves))
        note(shelf)
        context.delete(shelf)
    }

    /// Inserts some parts.
    func insertParts(_ count: Int, _ generator: inout SeededGenerator, _ plan: HistoryPlan) throws {
        for _ in 0..<count { try insert(&generator, plan) }
    }

    private func insert(_ generator: inout SeededGenerator, _ plan: HistoryPlan) throws {
        let isMachine = warehouse.schema.isOurs && generator.once(in: 4)
        let part = try context.insert(entityNamed: isMachine ? "Machine" : "Part")
        for field in WarehouseSchema.Field.allCases { try set(field, of: part, &generator, plan) }
        if !shelves.isEmpty, !generator.once(in: 5) {
            try part.setRelatedObject(object(generator.one(of: shelves)), forRelationship: "shelf")
        }
        parts.append(part.objectID)
    }

    private func set(
        _ field: WarehouseSchema.Field, of part: ManagedObject, _ generator: inout SeededGenerator,
        _ plan: HistoryPlan
    ) throws {
        note(part)
        try part.setValue(plan.value(of: field, &generator), forProperty: field.attribute)
    }

    private func changeTags(of part: ManagedObject, _ generator: inout SeededGenerator) throws {
        relinked.append(part)
        let chosen = tags.filter { _ in generator.once(in: 2) }
        try part.setRelatedObjects(chosen, forRelationship: "tags")
    }

    /// Returns the rows that a save is about to write, and forgets them.
    func takeWritten() -> Set<ObjectID> {
        defer { written = [] }
        return written
    }

    /// Returns the objects that lost the target of their relationship to a deletion since the last call.
    func takeOrphaned() -> [ManagedObject] {
        defer { orphaned = [] }
        return orphaned
    }

    /// Returns the objects whose links changed since the last call.
    func takeRelinked() -> [ManagedObject] {
        defer { relinked = [] }
        return relinked
    }
}

extension ManagedObjectContext {
    /// The inserted, updated and deleted objects.
    var unsavedObjects: [ManagedObject] { insertedObjects + updatedObjects + deletedObjects }
}
