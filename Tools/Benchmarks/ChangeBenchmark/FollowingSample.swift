import BenchmarkSupport
import Foundation
import SectionedFetch

/// Follows a list while rows change, and makes the same changes without a controller and without this
/// library, in turn, so that whatever the machine does meets all three alike.
struct FollowingSample {
    let order: ListOrder
    /// A store of its own, whose cache holds the list.
    let followed: String
    let caches: String
    /// A copy that no controller looks at.
    let alone: String
    /// The same table without triggers.
    let bare: String
    /// How many rows each change is of, and how many rows the stores had when they were made.
    let count: Int
    let rows: Int
    /// How many changes of each kind.
    let rounds: Int
    let seed: UInt64
    /// Whether the followed list is compared with a fetched one at the end.
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
            // Six rounds have all orders of the three, because whoever comes after the controller finds the
            // processor's caches full of its data.
            let ways = (0..<3).map { ($0 + round) % 3 }
            for way in round.isMultiple(of: 2) ? ways : ways.reversed() {
                switch way {
                case 0:
                    listener.expect(count)
                    times.followed.append(try Self.milliseconds(following.commit))
                    try listener.check()
                    times.cached.append(
                        try Self.milliseconds {
                            guard cacheStore.waitForSaves(upTo: 60) else {
                                throw SampleError("the save of the cache takes too long")
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

    /// The kinds of changes in turn, and which time it is for each. The rows that are deleted are the
    /// inserted ones, so that the store is as large after the process as before.
    private var plan: [(round: Int, kind: ChangeKind)] {
        var kinds: [ChangeKind] = [.update, .move, .insertion]
        if count > 1 { kinds.append(.batchUpdate) }
        return (0...rounds).flatMap { round in kinds.map { (round, $0) } }
            + (0...rounds).map { ($0, .deletion) }
    }

    /// Sees to it that the list that followed all changes is the one that a fetch finds.
    private func check(_ controller: FetchedResultsController<Song>, _ container: PersistentContainer) throws
    {
        let fresh = try order.controller(container.newContext(), caches: nil)
        try fresh.performFetch()
        guard let followed = Answer(controller), let fetched = Answer(fresh),
            followed.digest == fetched.digest
        else { throw SampleError("the list that was followed differs from the one that is fetched") }
    }

    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        try body()
        return Double(watch.elapsed) / 1e6
    }
}

/// Hears of changes as an app does, and sees to it that each is told in full.
final class Listener: FetchedResultsControllerDelegate {
    private var expected = 0
    private var events = 0
    private var changes = 0
    private var problem: String?

    /// Begins to wait for one change of so many rows.
    func expect(_ count: Int) {
        (expected, events, changes) = (count, 0, 0)
    }

    func check() throws {
        if let problem { throw SampleError(problem) }
        guard changes == 1, events == expected else {
            throw SampleError(
                "the delegate heard of \(events) rows in \(changes) changes, not of \(expected) in 1")
        }
    }

    func controller(_ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange)
    {
        changes += 1
        events += change.rowEvents.count
        if change.isReload { problem = "the delegate was told to reload" }
    }

    func controller(
        _ controller: FetchedResultsController<Song>, didFailToFollowChanges error: ObjectStorageError
    ) { problem = "\(error)" }
}
