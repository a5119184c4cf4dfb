import Foundation
import SectionedFetch
import Testing

private final class ChangeCounter: FetchedResultsControllerDelegate {
    private(set) var count = 0

    func controller(
        _ controller: FetchedResultsController<Artwork>, didChangeContentWith change: ResultsChange
    ) { count += 1 }
}

/// Replicas to which Litestream applies each commit while they are open (`litestream restore -f`).
@Suite(.enabled(if: Litestream.isAvailable, Litestream.reason), .timeLimit(.minutes(30)))
final class FollowModeTests {
    private let store: ReplicatedStore
    private let litestream: Litestream
    private let follower: Process

    init() throws {
        store = try ReplicatedStore("follow mode", replicaOptions: StoreOptions(isReadOnly: true))
        litestream = Litestream(replica: store.folder.appending(path: "ltx"))
        try litestream.replicate(store.primary.store)
        follower = try litestream.startFollowing(to: store.replica.store)
        try waitForPosition(after: "")
    }

    deinit {
        follower.terminate()
        follower.waitUntilExit()
    }

    /// The position that the follower has applied.
    private var position: String {
        (try? String(contentsOfFile: store.replica.store.path + "-txid", encoding: .utf8)) ?? ""
    }

    /// Replicates the primary's commits, and waits until the follower has applied them.
    private func follow() throws {
        let before = position
        try litestream.replicate(store.primary.store)
        try waitForPosition(after: before)
    }

    private func waitForPosition(after earlier: String) throws {
        while position == earlier {
            try #require(follower.isRunning)
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    /// Commits a change of the first page, with which the follower ends the use of a write-ahead log.
    private func endLog() throws {
        try ForeignProgram.run(["CREATE TABLE another (value)"], store: store.primary.store)
        try follow()
        let header = try FileHandle(forReadingFrom: store.replica.store).read(upToCount: 20)
        #expect(header.map { Array($0[18..<20]) } == [1, 1])
    }

    @Test func `the follower waits while the restored store is open with a write-ahead log`() throws {
        try store.copyCaches()
        let before = position
        do {
            let open = try store.replica.controller(in: store.replica.container().newContext())
            try open.performFetch()
            #expect(open.cacheLookup?.isCurrent == true)
            let rows = open.rows
            try store.edit(withLibrary: true)
            try litestream.replicate(store.primary.store)
            Thread.sleep(forTimeInterval: 0.2)
            try open.performFetch()
            #expect(open.rows == rows && position == before)
            open.settle()
        }
        try waitForPosition(after: before)
        try store.replica.start("seed \(store.seed)")
        #expect(try store.replica.expectedRows() == store.primary.expectedRows())
    }

    @Test func `an open container reads one state after each applied commit`() throws {
        try endLog()
        // With a program that keeps the log open, most commits do not write the first page.
        let replicator = try litestream.startReplicating(store.primary.store)
        defer {
            replicator.terminate()
            replicator.waitUntilExit()
        }
        let container = try store.replica.container()
        let open = try store.replica.controller(in: container.newContext())
        let context = container.newContext()
        let follower = try store.replica.controller(in: context)
        let listener = ChangeCounter()
        follower.delegate = listener
        try open.performFetch()
        try follower.performFetch()
        for round in 0..<12 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            try store.changeTitles(inRound: round)
            // Pages that are cached now are old when the commit is applied.
            _ = open.rows
            let expected = try store.primary.expectedRows()
            let count = listener.count
            while try store.replica.expectedRows() != expected {
                try #require(replicator.isRunning && self.follower.isRunning)
                Thread.sleep(forTimeInterval: 0.01)
            }
            try context.mergeOthersChanges()
            #expect(listener.count > count, comment)
            #expect(follower.rows == expected, comment)
            try open.performFetch()
            #expect(open.rows == expected, comment)
            #expect(open.outline == ReplicatedStore.Copy.outline(of: expected), comment)
            try store.replica.start(comment)
        }
        follower.settle()
    }

    @Test func `starts on a followed replica are hits after stamped commits, and never stale`() throws {
        try endLog()
        var hits = 0
        for round in 0..<12 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            let isStamped = Bool.random(using: &store.generator)
            try store.edit(withLibrary: isStamped ? true : nil)
            if isStamped { try store.primary.start(comment) }
            try follow()
            if isStamped { try store.copyCaches() }
            let lookup = try store.replica.start(comment)
            #expect(try store.replica.expectedRows() == store.primary.expectedRows(), comment)
            if isStamped { #expect(lookup?.isCurrent == true, comment) }
            if lookup?.isCurrent == true { hits += 1 }
        }
        #expect(hits > 0)
    }
}
