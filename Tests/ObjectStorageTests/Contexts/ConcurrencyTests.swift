import Foundation
import ObjectStorage
import CheckSupport
import Testing

private final class Counter: ManagedObject {
    @Attribute var value: Int64 = 0
    @Attribute var note: String = ""
    @Relationship(inverse: \Counter.followers) var leader: Counter?
    @Relationship var followers: Set<Counter>
    @Relationship(inverseNamed: "friends") var friends: Set<Counter>
}

/// Eight contexts on one container, each on its own thread, that read and write the same few objects.
///
/// `SECTIONED_FETCH_STRESS_OPERATIONS=100000 Tools/sanitize thread --filter ConcurrencyTests` runs more
/// operations under the thread sanitizer; `SECTIONED_FETCH_STRESS_SEED` repeats a run as far as thread
/// scheduling allows.
@Suite struct ConcurrencyTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let operations =
        environment["SECTIONED_FETCH_STRESS_OPERATIONS"].flatMap(Int.init) ?? 2_000
    private static let contexts = 8

    /// The successful saves of one context.
    private struct Tally: Sendable {
        var increments: [Int64: Int64] = [:]
        var saves = 0
    }

    @Test(arguments: [StoreOptions.Connections.single, .pool])
    func `no update is lost without a conflict, and readers see only complete saves`(
        connections: StoreOptions.Connections
    ) async throws {
        let seed =
            Self.environment["SECTIONED_FETCH_STRESS_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        let directory = try TemporaryDirectory()
        let container = try PersistentContainer(
            url: directory.file("counters.sqlite"), model: ManagedObjectModel(types: Counter.self),
            options: StoreOptions(connections: connections, busyTimeout: 60))
        let setUp = container.newContext()
        for _ in 0..<6 { _ = Counter(context: setUp) }
        try setUp.save()
        let tallies = try await withThrowingTaskGroup(of: Tally.self) { group in
            for number in 0..<Self.contexts {
                group.addTask {
                    try await container.performBackgroundTask { context in
                        var generator = SeededGenerator(seed: seed &+ UInt64(number))
                        var tally = Tally()
                        context.automaticallyMergesChanges = number.isMultiple(of: 2)
                        for _ in 0..<Self.operations / Self.contexts {
                            try Self.operate(in: context, &tally, using: &generator)
                        }
                        return tally
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let counters = try container.newContext().fetch(
            FetchRequest<Counter>(sortDescriptors: [.ascending("objectID")]))
        let increments = tallies.reduce(into: [:]) { $0.merge($1.increments, uniquingKeysWith: +) }
        for counter in counters {
            let key = try #require(counter.objectID.primaryKey)
            #expect(counter.value == increments[key] ?? 0, "seed \(seed)")
        }
        #expect(tallies.reduce(0) { $0 + $1.saves } > Self.operations / 4, "seed \(seed)")
        // Every save keeps these two properties equal.
        #expect(
            counters.allSatisfy { $0.note == "\($0.value)" || $0.note.isEmpty && $0.value == 0 },
            "seed \(seed)")
    }

    private static func operate(
        in context: ManagedObjectContext, _ tally: inout Tally, using generator: inout SeededGenerator
    ) throws {
        let counters = try context.fetch(FetchRequest<Counter>(sortDescriptors: [.ascending("objectID")]))
        for counter in counters {
            // Value and note are written together, so no context may see one without the other.
            #expect(counter.note == "\(counter.value)" || counter.note.isEmpty && counter.value == 0)
        }
        let counter = try #require(counters.randomElement(using: &generator))
        var isIncrement = false
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<5:
            counter.value += 1
            counter.note = "\(counter.value)"
            isIncrement = true
        case 5: counter.leader = counters.randomElement(using: &generator)
        case 6: counter.friends = Set(counters.filter { _ in Bool.random(using: &generator) })
        default:
            _ = counter.followers.count + counter.friends.count
            return
        }
        do throws(ObjectStorageError) {
            try context.save()
            tally.saves += 1
            if isIncrement, let key = counter.objectID.primaryKey {
                tally.increments[key, default: 0] += 1
            }
        } catch {
            guard error.code == .conflict else { throw error }
            context.rollback()
            context.refreshAllObjects()
        }
    }
}
