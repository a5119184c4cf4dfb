import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Changes by contexts, child contexts, batches and another program to objects with relationship rules,
/// loaded or not.
///
/// After each transaction, SQL finds the rows that break a rule. A refusal must be an error with a code of
/// the rules, and must name entity, property and object.
enum RuleFaults: FaultProgram {
    static let name = "rules"
    static let rows = ["A-43"]
    static let summary =
        "saves, deletes and updates objects with relationship rules, loaded or not, while another program inserts rows"
    static let releaseCount = 20_000
    static let mutants: [Mutant] = [.unreachedRows]
    static let huntCount = 200

    private static let trialsPerStore = 25

    static func run(_ run: inout FaultRun) throws {
        var scene: RuleScene?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            if trial % trialsPerStore == 0 {
                scene = try RuleScene(run.folder.appending(path: "\(trial).sqlite"), using: &generator)
            }
            guard let scene else { continue }
            run.note(try scene.change(using: &generator))
        }
    }
}

/// Clubs with one to four members, who must belong to a club; their cards, which are deleted with them;
/// guests, whose host cannot be deleted; and topics, of which a club has one to three.
private struct RuleScene {
    private let container: PersistentContainer
    private let other: DatabaseQueue

    init(_ url: URL, using generator: inout SeededGenerator) throws {
        container = try PersistentContainer(url: url, model: Self.model())
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        other = try DatabaseQueue(path: url.path, configuration: configuration)
        let context = container.newContext()
        let topics = try (0..<4).map { _ in try context.insert(entityNamed: "Topic") }
        for _ in 0..<6 {
            let club = try context.insert(entityNamed: "Club")
            try club.setRelatedObjects(
                Array(topics.shuffled(using: &generator).prefix(2)), forRelationship: "topics")
            for number in 0..<Int.random(in: 1...3, using: &generator) {
                let member = try context.insert(
                    entityNamed: Bool.random(using: &generator) ? "Member" : "Officer")
                try member.setRelatedObject(club, forRelationship: "club")
                for _ in 0..<number {
                    let card = try context.insert(entityNamed: "Card")
                    try card.setRelatedObject(member, forRelationship: "owner")
                }
                if generator.next() % 3 == 0 {
                    let guest = try context.insert(entityNamed: "Guest")
                    try guest.setRelatedObject(member, forRelationship: "host")
                }
            }
        }
        try context.save()
        try check(after: "the first save")
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Club", attributes: [],
                relationships: [
                    .toMany("members", to: "Member", inverse: "club", allowedCount: 1...4),
                    .toMany("topics", to: "Topic", inverse: "clubs", allowedCount: 1...3),
                ]),
            EntityDescription(
                name: "Member",
                attributes: [
                    AttributeDescription(name: "note", type: .integer64, defaultValue: .integer(0))
                ],
                relationships: [
                    .toOne("club", to: "Club", inverse: "members", isOptional: false),
                    .toMany("cards", to: "Card", inverse: "owner", deleteRule: .cascade),
                    .toMany("guests", to: "Guest", inverse: "host", deleteRule: .deny),
                ]),
            EntityDescription(name: "Officer", parentName: "Member", attributes: []),
            EntityDescription(
                name: "Card", attributes: [],
                relationships: [.toOne("owner", to: "Member", inverse: "cards", isOptional: false)]),
            EntityDescription(
                name: "Guest", attributes: [],
                relationships: [.toOne("host", to: "Member", inverse: "guests")]),
            EntityDescription(
                name: "Topic", attributes: [],
                relationships: [.toMany("clubs", to: "Club", inverse: "topics")]),
        ])
    }

    // MARK: Changes

    /// The ways to change objects.
    private enum Way: CaseIterable { case context, loadedContext, child, batchDeletion, batchUpdate }

    /// Makes changes in one way, and checks all rules.
    func change(using generator: inout SeededGenerator) throws -> FaultOutcome {
        let way = Way.allCases.randomElement(using: &generator) ?? .context
        let isInterrupted = generator.next() % 3 == 0
        var outcome = FaultOutcome.right
        do {
            switch way {
            case .context: try save(isLoaded: false, isInterrupted, using: &generator)
            case .loadedContext: try save(isLoaded: true, isInterrupted, using: &generator)
            case .child: try saveChild(isInterrupted, using: &generator)
            case .batchDeletion: try deleteBatch(using: &generator)
            case .batchUpdate: try updateBatch(using: &generator)
            }
        } catch let error as ObjectStorageError {
            guard Self.refusals.contains(error.code) || isInterrupted && Self.conflicts.contains(error.code)
            else { throw FaultFinding("\(way): \(error)") }
            try checkNames(error, way)
            outcome = .refused
        }
        try check(after: "\(way)\(isInterrupted ? " beside another program" : "")")
        return outcome
    }

    private static let refusals: [ObjectStorageError.Code] = [
        .missingValue, .invalidValue, .deletionDenied,
    ]
    /// The error codes that are allowed only if another program changed the store.
    private static let conflicts: [ObjectStorageError.Code] = [.conflict, .objectMissing]

    /// Checks that each fault names entity, property and object.
    private func checkNames(_ error: ObjectStorageError, _ way: Way) throws {
        for fault in error.faults.isEmpty ? [error] : error.faults
        where [.missingValue, .invalidValue, .deletionDenied].contains(fault.code) {
            guard fault.entityName != nil, fault.propertyName != nil,
                fault.objectID != nil || way == .batchUpdate || way == .batchDeletion
            else { throw FaultFinding("\(way): a fault lacks the entity, property or object: \(fault)") }
        }
    }

    private func objects(
        _ entityName: String, _ context: ManagedObjectContext, using generator: inout SeededGenerator
    ) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entityName)).shuffled(using: &generator)
    }

    private func save(
        isLoaded: Bool, _ isInterrupted: Bool, using generator: inout SeededGenerator
    ) throws {
        let context = container.newContext()
        let loaded = isLoaded ? try load(context) : []
        try change(context, using: &generator)
        if isInterrupted { try interfere(using: &generator) }
        if generator.next() % 4 == 0 { context.mergePolicy = .contextWins }
        try context.save()
        withExtendedLifetime(loaded) {}
    }

    private func load(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try ["Club", "Member", "Card", "Guest", "Topic"].flatMap {
            try context.fetch(FetchRequest<ManagedObject>(entityName: $0))
        }
    }

    private func saveChild(_ isInterrupted: Bool, using generator: inout SeededGenerator) throws {
        let parent = container.newContext()
        if Bool.random(using: &generator) { try change(parent, using: &generator) }
        let child = parent.newChildContext()
        try change(child, using: &generator)
        try child.save()
        if isInterrupted { try interfere(using: &generator) }
        try parent.save()
    }

    /// Makes one to three changes in a context.
    private func change(
        _ context: ManagedObjectContext, using generator: inout SeededGenerator
    ) throws {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: try objects("Club", context, using: &generator).first.map(context.delete)
            case 1, 2: try objects("Member", context, using: &generator).first.map(context.delete)
            case 3: try objects("Topic", context, using: &generator).first.map(context.delete)
            case 4: try objects("Guest", context, using: &generator).first.map(context.delete)
            case 5:
                // Sets the relationship from the other side.
                let clubs = try objects("Club", context, using: &generator)
                guard let club = clubs.first,
                    let member = try objects("Member", context, using: &generator).first
                else { continue }
                try club.setRelatedObjects(
                    club.relatedObjects("members") + [member], forRelationship: "members")
            case 6:
                let member = try context.insert(
                    entityNamed: Bool.random(using: &generator) ? "Member" : "Officer")
                let club = try objects("Club", context, using: &generator).first
                try member.setRelatedObject(
                    generator.next() % 5 == 0 ? nil : club, forRelationship: "club")
                let card = try context.insert(entityNamed: "Card")
                try card.setRelatedObject(member, forRelationship: "owner")
            case 7:
                guard let club = try objects("Club", context, using: &generator).first else { continue }
                let topics = try objects("Topic", context, using: &generator)
                let count = Int.random(in: 0...4, using: &generator)
                try club.setRelatedObjects(Array(topics.prefix(count)), forRelationship: "topics")
            default:
                guard let club = try objects("Club", context, using: &generator).first,
                    let member = try objects("Member", context, using: &generator).first
                else { continue }
                try member.setRelatedObject(club, forRelationship: "club")
            }
        }
    }

    private func deleteBatch(using generator: inout SeededGenerator) throws {
        let entityName = ["Club", "Member", "Officer", "Card", "Topic", "Guest"].randomElement(
            using: &generator)
        var request = FetchRequest<ManagedObject>(entityName: entityName ?? "Card")
        request.fetchLimit = Int.random(in: 1...2, using: &generator)
        request.fetchOffset = Int.random(in: 0..<4, using: &generator)
        try container.newContext().batchDelete(request)
    }

    private func updateBatch(using generator: inout SeededGenerator) throws {
        let context = container.newContext()
        let club = try objects("Club", context, using: &generator).first
        var request = FetchRequest<ManagedObject>(entityName: "Member")
        request.fetchLimit = Int.random(in: 1...2, using: &generator)
        request.fetchOffset = Int.random(in: 0..<4, using: &generator)
        let objectID = generator.next() % 4 == 0 ? nil : club?.objectID
        try context.batchUpdate(request, set: [.set("club", toObject: objectID)])
    }

    /// Inserts or updates rows with rules as another program, without breaking a rule.
    private func interfere(using generator: inout SeededGenerator) throws {
        let statement =
            [
                "INSERT INTO Card (owner) SELECT objectID FROM Member ORDER BY random() LIMIT 2",
                "INSERT INTO Guest (host) SELECT objectID FROM Member ORDER BY random() LIMIT 1",
                """
                INSERT INTO Member (".entity", club) SELECT 'Member', objectID FROM Club
                WHERE (SELECT count(*) FROM Member WHERE club = Club.objectID) < 4 ORDER BY random() LIMIT 1
                """,
                "UPDATE Member SET note = note + 1",
            ].randomElement(using: &generator) ?? ""
        try other.write { try $0.execute(sql: statement) }
    }

    // MARK: The oracle

    /// Finds rows that break a rule, in SQL and on another connection.
    private func check(after words: String) throws {
        let breaches: [(rule: String, sql: String)] = [
            ("a member without a club", "SELECT objectID FROM Member WHERE club IS NULL"),
            (
                "a member of a club that is gone",
                "SELECT objectID FROM Member WHERE club NOT IN (SELECT objectID FROM Club)"
            ),
            (
                "a club with no member, or with more than four",
                "SELECT objectID FROM Club WHERE (SELECT count(*) FROM Member WHERE club = Club.objectID) NOT BETWEEN 1 AND 4"
            ),
            (
                "a club with no topic, or with more than three",
                "SELECT objectID FROM Club WHERE (SELECT count(*) FROM \"\(linkTable)\" WHERE source = Club.objectID) NOT BETWEEN 1 AND 3"
            ),
            ("a card without an owner", "SELECT objectID FROM Card WHERE owner IS NULL"),
            (
                "a card of an owner who is gone",
                "SELECT objectID FROM Card WHERE owner NOT IN (SELECT objectID FROM Member)"
            ),
            (
                "a guest of a host who is gone",
                "SELECT objectID FROM Guest WHERE host IS NOT NULL AND host NOT IN (SELECT objectID FROM Member)"
            ),
            (
                "a topic of a club that is gone",
                "SELECT target FROM \"\(linkTable)\" WHERE source NOT IN (SELECT objectID FROM Club) OR target NOT IN (SELECT objectID FROM Topic)"
            ),
            // Only the deletion that the rule denies clears the host of a guest.
            ("a guest without a host", "SELECT objectID FROM Guest WHERE host IS NULL"),
        ]
        try other.read { database in
            for (rule, sql) in breaches {
                let keys = try Int64.fetchAll(database, sql: sql)
                guard keys.isEmpty else { throw FaultFinding("after \(words): \(rule): \(keys)") }
            }
        }
    }

    private var linkTable: String { "Club.topics" }
}
