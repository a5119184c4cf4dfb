import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// A relationship between “A” and “B” in a model: the cardinality of each side, if the side declares it at
/// all.
private struct Kind: CustomStringConvertible {
    enum Side: CaseIterable { case none, one, many, ordered }

    var fromA: Side
    var fromB: Side
    var nameInA = "others"
    var nameInB = "others"
    /// The renaming identifiers of the properties.
    var previousInA: String?
    var previousInB: String?

    static func random(using generator: inout SeededGenerator) -> Self {
        while true {
            let kind = Self(
                fromA: Side.allCases.randomElement(using: &generator)!,
                fromB: Side.allCases.randomElement(using: &generator)!)
            if kind.fromA != .none || kind.fromB != .none { return kind }
        }
    }

    /// Whether an object of the side can have only one related object.
    var isOneFromA: Bool { fromA == .one }
    var isOneFromB: Bool { fromB == .one }

    var description: String { "A.\(nameInA): \(fromA), B.\(nameInB): \(fromB)" }

    var json: String {
        func relationship(
            _ side: Side, _ name: String, _ previous: String?, to other: String, _ inverse: String?
        ) -> String {
            guard side != .none else { return "[]" }
            var members = ["\"name\": \"\(name)\"", "\"destinationEntityName\": \"\(other)\""]
            if let inverse { members.append("\"inverseName\": \"\(inverse)\"") }
            if side != .one { members.append("\"isToMany\": true") }
            if side == .ordered { members.append("\"isOrdered\": true") }
            if let previous { members.append("\"renamingIdentifier\": \"\(previous)\"") }
            return "[{" + members.joined(separator: ", ") + "}]"
        }
        let hasBoth = fromA != .none && fromB != .none
        let ofA = relationship(fromA, nameInA, previousInA, to: "B", hasBoth ? nameInB : nil)
        let ofB = relationship(fromB, nameInB, previousInB, to: "A", hasBoth ? nameInA : nil)
        return """
            [{"name": "A", "attributes": [{"name": "n", "type": "integer64"}], "relationships": \(ofA)},
             {"name": "B", "attributes": [{"name": "n", "type": "integer64"}], "relationships": \(ofB)}]
            """
    }
}

@Suite final class RelationshipMigrationTests {
    private let directory: TemporaryDirectory
    private var contexts: [ManagedObjectContext] = []

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ json: String, _ url: URL) throws -> ManagedObjectContext {
        let container = try PersistentContainer(url: url, model: ManagedObjectModel(jsonText: json))
        contexts.append(container.newContext())
        return contexts[contexts.count - 1]
    }

    private func all(_ entity: String, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(
            FetchRequest<ManagedObject>(entityName: entity, sortDescriptors: [.ascending("objectID")]))
    }

    /// Returns, for each object in the order of keys, the positions of its related objects among those of
    /// their entity.
    private func links(
        from entity: String, _ name: String, _ side: Kind.Side, in context: ManagedObjectContext
    ) throws -> [[Int]] {
        let others = try all(entity == "A" ? "B" : "A", in: context)
        return try all(entity, in: context).map { object in
            let related =
                side == .one
                ? try [object.relatedObject(name)].compactMap { $0 } : try object.relatedObjects(name)
            let positions = related.map { other in others.firstIndex { $0 === other }! }
            return side == .ordered ? positions : positions.sorted()
        }
    }

    @Test(arguments: (0..<60).map { _ in UInt64.random(in: 0...UInt64.max) })
    func `a migration keeps every pair of objects, or names an object that has too many`(
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let url = directory.file("\(seed).sqlite")
        let old = Kind.random(using: &generator)
        var new = Kind.random(using: &generator)
        // The names sort before or after that of the other side, which decides which side names a link table.
        if Bool.random(using: &generator) {
            new.nameInA = ["a", "z"].randomElement(using: &generator)!
            new.previousInA = old.nameInA
        }
        if Bool.random(using: &generator) {
            new.nameInB = ["a", "z"].randomElement(using: &generator)!
            new.previousInB = old.nameInB
        }
        let context = try open(old.json, url)
        let count = Int.random(in: 1...6, using: &generator)
        var objects: [String: [ManagedObject]] = [:]
        for entity in ["A", "B"] {
            objects[entity] = try (0..<count).map { number in
                let object = try context.insert(entityNamed: entity)
                object["n"] = .integer(Int64(number))
                return object
            }
            try context.save()
        }
        let setter = old.fromA != .none ? "A" : "B"
        let side = setter == "A" ? old.fromA : old.fromB
        let name = setter == "A" ? old.nameInA : old.nameInB
        for object in objects[setter]! {
            let others = objects[setter == "A" ? "B" : "A"]!.shuffled(using: &generator)
            let number = Int.random(in: 0...(side == .one ? 1 : 3), using: &generator)
            let chosen = Array(others.prefix(number))
            if side == .one {
                try object.setRelatedObject(chosen.first, forRelationship: name)
            } else {
                try object.setRelatedObjects(chosen, forRelationship: name)
            }
        }
        try context.save()

        // The links as read from the side that set them; the inverse has the same pairs.
        let fromSetter = try links(from: setter, name, side, in: context)
        var pairs: Set<[Int]> = []
        for (own, others) in fromSetter.enumerated() {
            for other in others { pairs.insert(setter == "A" ? [own, other] : [other, own]) }
        }
        let orders = (
            a: old.fromA == .ordered ? try links(from: "A", old.nameInA, .ordered, in: context) : nil,
            b: old.fromB == .ordered ? try links(from: "B", old.nameInB, .ordered, in: context) : nil
        )
        contexts = []

        let goesOn = old.fromA != .none && new.fromA != .none || old.fromB != .none && new.fromB != .none
        if !goesOn { pairs = [] }
        func isCrowded(_ end: Int) -> Bool {
            Dictionary(grouping: pairs) { $0[end] }.values.contains { $0.count > 1 }
        }
        let message = "seed \(seed): \(old) → \(new)"
        if new.isOneFromA && isCrowded(0) || new.isOneFromB && isCrowded(1) {
            let error = #expect(throws: ObjectStorageError.self, "\(message)") { try open(new.json, url) }
            #expect(error?.code == .modelMismatch, "\(message)")
            #expect(error?.objectID != nil, "\(message)")
            // Nothing was changed.
            #expect(try links(from: setter, name, side, in: open(old.json, url)) == fromSetter, "\(message)")
            return
        }
        let migrated = try open(new.json, url)
        func expected(_ end: Int) -> [[Int]] {
            (0..<count).map { number in
                pairs.filter { $0[end] == number }.map { $0[1 - end] }.sorted()
            }
        }
        if new.fromA != .none {
            let found = try links(from: "A", new.nameInA, new.fromA, in: migrated)
            #expect(found.map { $0.sorted() } == expected(0), "\(message)")
            if new.fromA == .ordered, goesOn, let order = orders.a { #expect(found == order, "\(message)") }
        }
        if new.fromB != .none {
            let found = try links(from: "B", new.nameInB, new.fromB, in: migrated)
            #expect(found.map { $0.sorted() } == expected(1), "\(message)")
            if new.fromB == .ordered, goesOn, let order = orders.b { #expect(found == order, "\(message)") }
        }
        // Opening the store again gives the same links.
        let again = try open(new.json, url)
        if new.fromA != .none {
            #expect(
                try links(from: "A", new.nameInA, new.fromA, in: again).map { $0.sorted() } == expected(0),
                "\(message)")
        }
        try again.save()
    }

    @Test
    func `two relationships swap their names, and a later version of the model keeps the swap`() throws {
        func json(_ first: (String, String?), _ second: (String, String?), also other: String = "") -> String
        {
            func member(_ value: (String, String?)) -> String {
                let previous = value.1.map { ", \"renamingIdentifier\": \"\($0)\"" } ?? ""
                return
                    "{\"name\": \"\(value.0)\", \"destinationEntityName\": \"B\", \"isToMany\": true\(previous)}"
            }
            return """
                [{"name": "A", "attributes": [{"name": "n", "type": "integer64"}\(other)], "relationships": [\(member(first)), \(member(second))]},
                 {"name": "B", "attributes": []}]
                """
        }
        let url = directory.file("swap.sqlite")
        let context = try open(json(("x", nil), ("y", nil)), url)
        let a = try context.insert(entityNamed: "A")
        a["n"] = 1
        let bs = try (0..<3).map { _ in try context.insert(entityNamed: "B") }
        try a.setRelatedObjects([bs[0]], forRelationship: "x")
        try a.setRelatedObjects([bs[1], bs[2]], forRelationship: "y")
        try context.save()
        let swapped = (("x", "y" as String?), ("y", "x" as String?))
        // Swapping the names of two equal properties alone does not make another version of the model.
        let note = ", {\"name\": \"note\", \"type\": \"string\", \"isOptional\": true}"
        for other in [note, note + note.replacing("note", with: "more")] {
            let migrated = try open(json(swapped.0, swapped.1, also: other), url)
            let object = try all("A", in: migrated)[0]
            #expect(try object.relatedObjects("x").count == 2)
            #expect(try object.relatedObjects("y").count == 1)
        }
    }

    @Test func `a previous name can be given to another property`() throws {
        func json(_ attributes: [(String, String?)]) -> String {
            let members = attributes.map { name, previous in
                let previous = previous.map { ", \"renamingIdentifier\": \"\($0)\"" } ?? ""
                return "{\"name\": \"\(name)\", \"type\": \"string\", \"isOptional\": true\(previous)}"
            }
            return "[{\"name\": \"A\", \"attributes\": [\(members.joined(separator: ", "))]}]"
        }
        let url = directory.file("names.sqlite")
        let context = try open(json([("label", nil)]), url)
        try context.insert(entityNamed: "A")["label"] = "Emma"
        try context.save()
        let second = [("title", "label" as String?), ("label", nil)]
        var object = try all("A", in: open(json(second), url))[0]
        #expect(object["title"] == "Emma")
        #expect(object["label"] == .null)
        object["label"] = "red"
        try object.managedObjectContext?.save()
        object = try all("A", in: open(json(second + [("note", nil)]), url))[0]
        #expect(object["title"] == "Emma")
        #expect(object["label"] == "red")
        // A renaming identifier has no effect on a property whose name the store already has.
        object = try all("A", in: open(json([("title", "note"), ("label", nil), ("note", nil)]), url))[0]
        #expect(object["title"] == "Emma")
    }

    @Test func `a symmetric to-one relationship becomes to-many`() throws {
        func json(_ member: String) -> String {
            "[{\"name\": \"P\", \"attributes\": [], \"relationships\": [{\"name\": \"friend\", \"destinationEntityName\": \"P\", \"inverseName\": \"friend\"\(member)}]}]"
        }
        let url = directory.file("friends.sqlite")
        let context = try open(json(""), url)
        let people = try (0..<3).map { _ in try context.insert(entityNamed: "P") }
        try people[0].setRelatedObject(people[2], forRelationship: "friend")
        try context.save()
        let migrated = try all("P", in: open(json(", \"isToMany\": true"), url))
        #expect(try migrated[0].relatedObjects("friend") == [migrated[2]])
        #expect(try migrated[2].relatedObjects("friend") == [migrated[0]])
        #expect(try migrated[1].relatedObjects("friend").isEmpty)
    }

    @Test func `a one-way relationship becomes symmetric`() throws {
        func json(_ member: String) -> String {
            "[{\"name\": \"P\", \"attributes\": [], \"relationships\": [{\"name\": \"friends\", \"destinationEntityName\": \"P\", \"isToMany\": true\(member)}]}]"
        }
        let url = directory.file("friends.sqlite")
        let context = try open(json(""), url)
        let people = try (0..<4).map { _ in try context.insert(entityNamed: "P") }
        try people[0].setRelatedObjects([people[1], people[2]], forRelationship: "friends")
        try people[1].setRelatedObjects([people[0]], forRelationship: "friends")
        try context.save()
        let migrated = try all("P", in: open(json(", \"inverseName\": \"friends\""), url))
        let friends = try migrated.map {
            try Set($0.relatedObjects("friends").map { migrated.firstIndex(of: $0)! })
        }
        #expect(friends == [[1, 2], [0], [0], []])
    }
}
