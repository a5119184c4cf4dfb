import Foundation
import ObjectStorage
import CheckSupport
import Testing

private final class Citizen: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(deleteRule: .cascade) var card: Card?
    @Relationship(inverseNamed: "partner") var partner: Citizen?
}

private final class Card: ManagedObject {
    @Attribute var number: Int = 0
    @Relationship(inverse: \Citizen.card) var owner: Citizen?
}

/// Relationships that are to-one at both ends.
struct OneToOneTests {
    private func makeContainer() throws -> PersistentContainer {
        try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Citizen.self, Card.self))
    }

    /// Returns each card with its owner, read by another context.
    private func owners(_ container: PersistentContainer) throws -> [String] {
        let context = container.newContext()
        return try context.fetch(FetchRequest<Card>(sortDescriptors: [.ascending(\.number)])).map {
            "\($0.number): \($0.owner?.name ?? "-"), \($0.owner?.card === $0)"
        }
    }

    @Test func `setting one end sets the other end and clears the previous ones`() throws {
        let container = try makeContainer()
        let context = container.newContext()
        let ann = Citizen(context: context)
        let bob = Citizen(context: context)
        let (first, second) = (Card(context: context), Card(context: context))
        (ann.name, bob.name, first.number, second.number) = ("Ann", "Bob", 1, 2)
        ann.card = first
        #expect(first.owner === ann)
        bob.card = first
        #expect(first.owner === bob && ann.card == nil && bob.card === first)
        try context.save()
        #expect(try owners(container) == ["1: Bob, true", "2: -, false"])
        #expect(try context.count(for: FetchRequest<Card>(predicate: \.owner == bob)) == 1)
        second.owner = bob
        #expect(first.owner == nil && bob.card === second)
        first.owner = ann
        try context.save()
        #expect(try owners(container) == ["1: Ann, true", "2: Bob, true"])
        first.owner = bob
        #expect(ann.card == nil && second.owner == nil && bob.card === first)
        context.rollback()
        #expect(ann.card === first && bob.card === second && first.owner === ann)
        bob.card = nil
        #expect(second.owner == nil)
        try context.save()
        #expect(try owners(container) == ["1: Ann, true", "2: -, false"])
    }

    @Test func `an undo restores a deleted object's relationship that was never read`() throws {
        let container = try makeContainer()
        let maker = container.newContext()
        let ann = Citizen(context: maker)
        ann.name = "Ann"
        ann.card = Card(context: maker)
        try maker.save()
        let context = container.newContext()
        context.undoManager = ManagedObjectContext.UndoManager()
        // The card's owner was never read.
        context.delete(try #require(context.fetch(FetchRequest<Card>()).first))
        try context.save()
        try context.undo()
        try context.save()
        #expect(try owners(container) == ["0: Ann, true"])
        try context.redo()
        try context.save()
        #expect(try owners(container) == [])
        #expect(try container.newContext().fetch(FetchRequest<Citizen>()).map(\.card) == [nil])
    }

    @Test func `a symmetric relationship is the same from both sides`() throws {
        let container = try makeContainer()
        let context = container.newContext()
        let people = ["a", "b", "c"].map { name in
            let citizen = Citizen(context: context)
            citizen.name = name
            return citizen
        }
        people[0].partner = people[1]
        #expect(people[1].partner === people[0])
        people[2].partner = people[1]
        #expect(people[0].partner == nil && people[1].partner === people[2])
        people[2].partner = people[2]
        #expect(people[1].partner == nil && people[2].partner === people[2])
        people[2].partner = people[0]
        #expect(people[0].partner === people[2] && people[2].partner === people[0])
        try context.save()
        let other = container.newContext()
        let fresh = try other.fetch(FetchRequest<Citizen>(sortDescriptors: [.ascending(\.name)]))
        #expect(fresh.map { $0.partner?.name } == ["c", nil, "a"])
    }

    @Test(arguments: [false, true])
    func `delete rules follow a link that was set at the other end`(isSavedBefore: Bool) throws {
        let container = try makeContainer()
        let context = container.newContext()
        let ann = Citizen(context: context)
        let (first, second) = (Card(context: context), Card(context: context))
        (first.number, second.number) = (1, 2)
        try context.save()
        first.owner = ann
        if isSavedBefore { try context.save() }
        context.delete(ann)
        try context.save()
        #expect(first.isDeleted && !second.isDeleted)
        #expect(try owners(container) == ["2: -, false"])
        let bob = Citizen(context: context)
        bob.card = second
        if isSavedBefore { try context.save() }
        context.delete(second)
        try context.save()
        #expect(!bob.isDeleted && bob.card == nil)
        #expect(try owners(container) == [])
    }

    @Test func `undoing restores both ends, and a child context passes both on`() throws {
        let container = try makeContainer()
        let context = container.newContext()
        let undoManager = ManagedObjectContext.UndoManager()
        let ann = Citizen(context: context)
        let bob = Citizen(context: context)
        let card = Card(context: context)
        (ann.name, bob.name) = ("Ann", "Bob")
        ann.card = card
        try context.save()
        context.undoManager = undoManager
        card.owner = bob
        try context.processPendingChanges()
        try context.undo()
        #expect(ann.card === card && bob.card == nil && card.owner === ann)
        try context.redo()
        #expect(ann.card == nil && bob.card === card && card.owner === bob)
        let child = context.newChildContext()
        let (childAnn, childCard) = (
            try #require(try child.object(with: ann.objectID) as? Citizen),
            try #require(try child.object(with: card.objectID) as? Card)
        )
        childAnn.card = childCard
        try child.save()
        #expect(ann.card === card && bob.card == nil && card.owner === ann)
        try context.save()
        #expect(try owners(container) == ["0: Ann, true"])
    }

    @Test func `a batch, which would write one end only, refuses to set the relationship`() throws {
        let container = try makeContainer()
        let context = container.newContext()
        let ann = Citizen(context: context)
        let card = Card(context: context)
        (ann.name, ann.card) = ("Ann", card)
        let bob = Citizen(context: context)
        try context.save()
        let update = #expect(throws: ObjectStorageError.self) {
            try context.batchUpdate(FetchRequest<Card>(), set: [.set(\.owner, to: bob.objectID)])
        }
        #expect(update?.code == .invalidRequest && update?.propertyName == "owner")
        let insertion = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(
                Card.self, rows: [["number": 2], ["owner": .integer(bob.objectID.primaryKey ?? 0)]])
        }
        #expect(insertion?.code == .invalidRequest && insertion?.message.hasPrefix("Row 2: ") == true)
        #expect(try owners(container) == ["0: Ann, true"])
        try context.batchInsert(Card.self, rows: [["number": 2, "owner": .null]])
        #expect(try owners(container) == ["0: Ann, true", "2: -, false"])
    }

    /// Returns the partner of each citizen, by name, after checking that both refer to each other.
    private func partners(_ citizens: [Citizen]) -> [String: String] {
        var partners: [String: String] = [:]
        for citizen in citizens {
            guard let partner = citizen.partner else { continue }
            #expect(partner.partner === citizen, "\(citizen.name) leads to \(partner.name)")
            partners[citizen.name] = partner.name
        }
        return partners
    }

    @Test(
        arguments: [
            MergePolicy.error, .contextWins, .storeWins, .propertyByProperty(.store),
            .propertyByProperty(.context),
        ], [0, 1, 2])
    func `both ends agree in the store after two contexts set different partners of one object`(
        policy: MergePolicy, variant: Int
    ) throws {
        let container = try makeContainer()
        let context = container.newContext()
        let citizens = ["Ann", "Bob", "Cleo", "Dan"].map { name in
            let citizen = Citizen(context: context)
            citizen.name = name
            return citizen
        }
        // In one of the variants, Bob and Dan are partners before.
        if variant == 2 { citizens[1].partner = citizens[3] }
        try context.save()
        context.mergePolicy = policy
        citizens[0].partner = citizens[1]
        let other = container.newContext()
        let theirs = try other.fetch(FetchRequest<Citizen>(sortDescriptors: [.ascending(\.name)]))
        theirs[2].partner = theirs[1]
        let changes = try other.save()
        if variant > 0 { try context.mergeChanges(from: changes) }
        let isRefused: Bool
        do {
            try context.save()
            isRefused = false
        } catch {
            #expect(error.code == .conflict)
            context.rollback()
            isRefused = true
        }
        #expect(isRefused == (policy == .error && variant == 0))
        let fresh = container.newContext()
        let stored = partners(
            Array(try fresh.fetch(FetchRequest<Citizen>(sortDescriptors: [.ascending(\.name)]))))
        #expect(stored["Bob"] == (stored["Cleo"] == nil ? "Ann" : "Cleo"))
        #expect(stored.count == 2)
        if variant > 0 {
            #expect(stored["Bob"] == "Ann", "The merge was resolved in favour of the context.")
        }
        if variant == 0 { try context.mergeChanges(from: changes) }
        #expect(partners(citizens) == stored)
    }
}
