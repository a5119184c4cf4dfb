import BenchmarkSupport
import Foundation
import SectionedFetch

/// Follows a list while rows change, and makes the same changes without a controller and without this
/// library. The three take turns, so that changes of the machine's speed affect all of them.
struct FollowingSample {
    let order: ListOrder
    /// The store of the followed list, whose cache has an entry for it.
    let followed: String
    let caches: String
    /// A copy of the store that no controller reads.
    let alone: String
    /// A copy of the store without triggers.
    let bare: String
    /// The number of rows in each change, and the number of rows in a new store.
    let count: Int
    let rows: Int
    /// The number of changes of each kind.
    let rounds: Int
    let seed: UInt64
    /// Whether to compare the followed list with a fetched one at the end.
    let isChecked: Bool

    func run() throws {
        let container = try PersistentContainer(url: URL(filePath: followed), model: .songs())
        let cacheStore = SectionCacheStore(directory: URL(filePath: caches))
        let following = ContextWriter(container)
        let listener = Listener()
        let controller = try order.controller(following.context, caches: cacheStore)
        controller.delegate = listener
        try controller.performFetch()
        guard controller.cacheLookup?.isHit == true else {
            throw SampleError("expected a hit, found \(controller.cacheLookup.map { "\($0)" } ?? "nothing")")
        }
        let withoutController = ContextWriter(
            try PersistentContainer(url: URL(filePath: alone), model: .songs()))
        let plain = try PlainWriter(path: bare)
        var line = FollowingLine()
        var maker = ChangeMaker(seed: seed, rows: rows, count: count)
        for (round, kind) in plan {
            let change = maker.next(kind)
            for writer in [following, withoutController, plain] as [any SongWriter] {
                try writer.prepare(change)
            }
            var times = FollowingLine.Times()
            // Six rounds have all orders of the three, because the one after the controller finds the
            // processor's caches full of the controller's data.
            let writers = (0..<3).map { ($0 + round) % 3 }
            for writer in round.isMultiple(of: 2) ? writers : writers.reversed() {
                switch writer {
                case 0:
                    listener.expect(count)
                    times.followed.append(try Self.milliseconds(following.commit))
                    try listener.check()
                    times.cached.append(
                        try Self.milliseconds {
                            guard cacheStore.waitForWrites(upTo: 60) else {
                                throw SampleError("saving to the cache takes more than 60 seconds")
                            }
                        })
                case 1: times.alone.append(try Self.milliseconds(withoutController.commit))
                default: times.bare.append(try Self.milliseconds(plain.commit))
                }
            }
            if round == 0 {
                line.first[kind, default: .init()].append(times)
            } else {
                line.steady[kind, default: .init()].append(times)
            }
        }
        if let problem = cacheStore.lastProblem { throw SampleError("not saved in the cache: \(problem)") }
        if isChecked { try check(controller, container) }
        print(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
    }

    /// The kinds of changes in turn, with the number of the round. The deleted rows are the inserted ones, so
    /// that the store has the same size before and after the process.
    private var plan: [(round: Int, kind: ChangeKind)] {
        var kinds: [ChangeKind] = [.update, .move, .insertion]
        if count > 1 { kinds.append(.batchUpdate) }
        return (0...rounds).flatMap { round in kinds.map { (round, $0) } }
            + (0...rounds).map { ($0, .deletion) }
    }

    /// Checks that the list that followed all changes equals a fetched one.
    private func check(_ controller: FetchedResultsController<Song>, _ container: PersistentContainer) throws
    {
        let fresh = try order.controller(container.newContext(), caches: nil)
        try fresh.performFetch()
        guard let followed = Answer(controller), let fetched = Answer(fresh),
            followed.digest == fetched.digest
        else { throw SampleError("the followed list differs from a fetched one") }
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        try body()
        return Double(watch.elapsed) / 1e6
    }
}

/// Receives changes as an app does, and checks that each has all its events.
final class Listener: FetchedResultsControllerDelegate {
    private var expected = 0
    private var events = 0
    private var changes = 0
    private var problem: String?

    /// Starts to wait for one change with `count` rows.
    func expect(_ count: Int) {
        (expected, events, changes) = (count, 0, 0)
    }

    func check() throws {
        if let problem { throw SampleError(problem) }
        guard changes == 1, events == expected else {
            throw SampleError(
                "the delegate received \(events) rows in \(changes) changes instead of \(expected) in 1")
        }
    }

    func controller(_ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange)
    {
        changes += 1
        events += change.rowEvents.count
        if change.isReload { problem = "the delegate received a reload" }
    }

    func controller(
        _ controller: FetchedResultsController<Song>, didFailToFollowChanges error: ObjectStorageError
    ) { problem = "\(error)" }
}
