import Foundation
import SectionedFetch
import CheckSupport
import Testing

/// A controller puts changed rows at the positions at which SQLite sorts them, for all kinds of values.
@Suite struct SortKeyTests {
    private let store: TemporaryStore
    private let context: ManagedObjectContext

    init() throws {
        store = try TemporaryStore(
            ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription(name: "value", type: .binaryData, isOptional: true),
                        AttributeDescription(name: "title", type: .string, isOptional: true),
                    ])
            ]))
        context = store.container.newContext()
    }

    /// SQL values that are easily confused with each other. A column for binary data stores them unconverted.
    private static let values = [
        "NULL", "0", "-0.0", "0.5", "1", "1.0", "-1", "-1.5", "1e-320", "-1e-320", "1e308", "-1e308", "9e999",
        "-9e999",
        "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740992.0",
        "9007199254740994.0",
        "-9007199254740993", "-9007199254740992.0", "9223372036854775807", "9223372036854775806",
        "9223372036854774784.0", "9223372036854775808.0", "-9223372036854775808", "-9223372036854775807",
        "-9223372036854775808.0", "-9223372036854777856.0", "''", "'a'", "'A'", "'aa'", "'ab'", "'é'",
        "CAST(x'61' AS TEXT)",
        "CAST(x'6100' AS TEXT)", "CAST(x'610061' AS TEXT)", "CAST(x'61ff' AS TEXT)", "CAST(x'6101' AS TEXT)",
        "CAST(x'00' AS TEXT)", "x''", "x'00'", "x'0000'", "x'00ff'", "x'01'", "x'61'", "x'6100'", "x'ff'",
        "x'ffff'",
    ]
    private static let titles = [
        "NULL", "''", "'a'", "'A'", "'ab'", "'Ab'", "'AB'", "'b'", "'ä'", "'Ä'", "'a' || char(0x308)",
        "'A' || char(0x308)",
        "'az'", "'aZ'", "'ǅ'", "'ß'", "'ss'", "'SS'", "'İ'", "'i'", "'Z'", "'['", "'_'",
        "CAST(x'61ff' AS TEXT)",
        "CAST(x'4100' AS TEXT)",
    ]

    private static let orders: [[FetchRequest<ManagedObject>.SortDescriptor]] = [
        [.ascending("value")], [.descending("value")], [.ascending("value", nulls: .last)],
        [.descending("value", nulls: .first)],
        [.ascending("title", order: .caseInsensitive), .descending("value")],
        [.descending("title", order: .caseInsensitive), .ascending("value")],
        [.descending("title"), .ascending("value", nulls: .last)],
    ]

    private func controller(_ order: [FetchRequest<ManagedObject>.SortDescriptor]) throws
        -> FetchedResultsController<
            ManagedObject
        >
    {
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(entityName: "Thing", sortDescriptors: order),
            context: context)
        try controller.performFetch()
        return controller
    }

    /// A list that follows changes, and its order.
    private struct Follower {
        let order: [FetchRequest<ManagedObject>.SortDescriptor]
        let controller: FetchedResultsController<ManagedObject>
        let reloads = Reloads()
    }

    private func followers(_ orders: [[FetchRequest<ManagedObject>.SortDescriptor]]) throws -> [Follower] {
        try orders.map { order in
            let follower = Follower(order: order, controller: try controller(order))
            follower.controller.delegate = follower.reloads
            try follower.controller.performFetch()
            return follower
        }
    }

    /// Merges another program's changes, and compares the followed results with those of a new fetch.
    private func expectNoDifference(_ followers: [Follower], _ moment: String) throws {
        try context.mergeChangesFromStore()
        for (number, follower) in followers.enumerated() {
            let fresh = try controller(follower.order).fetchedObjects?.map(\.objectID)
            #expect(
                follower.controller.fetchedObjects?.map(\.objectID) == fresh, "order \(number), \(moment)")
            #expect(follower.reloads.number == 0)
        }
    }

    @Test func `a changed row gets the position at which SQLite sorts it`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let number = Self.values.count
        try store.runElsewhere(
            Self.values.map { "INSERT INTO Thing (value) VALUES (\($0));" }.joined()
                + Self.titles.map { "INSERT INTO Thing (title) VALUES (\($0));" }.joined())
        let followers = try followers(Self.orders)
        for round in 0..<40 {
            let statements = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                """
                UPDATE Thing SET value = \(Self.values.randomElement(using: &generator) ?? ""), \
                title = \(Self.titles.randomElement(using: &generator) ?? "") \
                WHERE objectID = \(Int.random(in: 1...number, using: &generator));
                """
            }
            try store.runElsewhere(statements.joined())
            try expectNoDifference(followers, "round \(round), seed \(seed)")
        }
    }

    /// Many values are equal, some are NULL, and indexes give some of the orders.
    @Test func `a changed row gets the position at which SQLite sorts it, with and without an index`() throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        func value() -> String {
            Int.random(in: 0..<9, using: &generator) == 0
                ? "NULL" : "\(Int.random(in: 0..<30, using: &generator))"
        }
        try store.runElsewhere(
            "INSERT INTO Thing (value, title) VALUES "
                + (0..<1_000).map { _ in "(\(value()), 't' || \(value()))" }.joined(separator: ", ") + ";",
            "CREATE INDEX by_title ON Thing (title, value);", "CREATE INDEX by_value ON Thing (value);")
        try context.mergeChangesFromStore()
        let followers = try followers([
            [.ascending("title"), .ascending("value")], [.descending("title"), .descending("value")],
            [.ascending("title")], [.descending("value")], [.ascending("value"), .descending("title")],
            [.ascending("value", nulls: .last)], [.ascending("value"), .ascending("title")],
            [.ascending("title", order: .localized(Locale(identifier: "de"))), .ascending("value")],
            [.descending("title", order: .caseInsensitive)],
        ])
        for round in 0..<30 {
            let statements = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                let key = Int.random(in: 1...1_000, using: &generator)
                return switch Int.random(in: 0..<6, using: &generator) {
                case 0: "DELETE FROM Thing WHERE objectID = \(key);"
                case 1: "INSERT INTO Thing (value, title) VALUES (\(value()), 't' || \(value()));"
                case 2: "UPDATE Thing SET title = upper(title) || 'ä' WHERE objectID = \(key);"
                // Its neighbours change as well.
                case 3: "UPDATE Thing SET value = value + 1 WHERE objectID BETWEEN \(key) AND \(key + 5);"
                default:
                    "UPDATE Thing SET value = \(value()), title = 't' || \(value()) WHERE objectID = \(key);"
                }
            }
            try store.runElsewhere(statements.joined())
            try expectNoDifference(followers, "round \(round), seed \(seed)")
        }
    }
}

/// Counts the reloads, and records failures as issues.
private final class Reloads: FetchedResultsControllerDelegate {
    private(set) var number = 0

    func controller(
        _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith change: ResultsChange
    ) { if change.isReload { number += 1 } }

    func controller(
        _ controller: FetchedResultsController<ManagedObject>,
        didFailToFollowChanges error: ObjectStorageError
    ) { Issue.record(error) }
}
