import Synchronization
import InternalUtilities

/// The only thread that writes to a directory of caches. It runs jobs; the writes themselves are in
/// `SectionCacheStore+Saving.swift`, `+Eviction.swift` and `+Deletion.swift`.
///
/// A write transaction belongs to the thread that began it and may wait for another process, so it must run
/// neither on a caller's thread nor in Swift's cooperative pool. The thread ends when it has no work.
///
/// SAFETY: all state is guarded by `condition`.
final class CacheWriter: @unchecked Sendable {
    /// The maximum number of waiting jobs. Beyond it the oldest save is dropped, which costs a later miss.
    private static let capacity = 64

    private struct Job {
        let kind: Kind
        let run: @Sendable () -> Void

        enum Kind: Hashable {
            /// A save of the entry with a key, under a name. It may be dropped.
            case save(name: CacheName, key: [UInt8])
            /// The pending deletions.
            case deletion
            /// A reading of rows into memory. It runs before waiting jobs that could change them.
            case reading
        }

        var isSave: Bool { if case .save = kind { true } else { false } }
    }

    private let condition = MonotonicCondition()
    private var jobs: [Job] = []
    private var isWriting = false
    private var hasThread = false
    /// The time at which waiting readings run even if there is no other job.
    private var nextReading = ContinuousClock.now
    /// The number of callers that wait for all jobs.
    private var numberOfWaiting = 0
    /// Whether no further jobs will be handed over. Set without the lock, because the thread itself may be
    /// the last to release the store.
    private let isEnding = Atomic(false)

    /// The time in which saves accumulate after one was written, so that a program which saves continuously
    /// writes each entry a few times a second.
    private static let pause = Duration.milliseconds(100)
    /// The interval at which the thread checks for saves. Waking it for each save would take the caller more
    /// time than handing over a save may take.
    private static let interval = Duration.milliseconds(50)
    /// The time for which readings wait while there is no other job, so that reading all rows of a hit does
    /// not compete with the program's start for memory and processor.
    private static let readingDelay = Duration.milliseconds(500)
    /// The time for which the thread waits for further jobs before it ends.
    private static let idleTime = Duration.seconds(2)

    /// Hands over a save of the entry with a key. It takes the position of a waiting save of the same entry,
    /// which is dropped: the later save is newer, and no deletion can lie between them, because that would
    /// have dropped the first.
    ///
    /// - Returns: False if no thread can be started. The save then waits until another job is handed over, or
    ///   a caller waits for the jobs.
    func enqueueSave(
        under name: CacheName, key: [UInt8], _ run: @escaping @Sendable () -> Void
    ) -> Bool {
        enqueue(Job(kind: .save(name: name, key: key), run: run))
    }

    /// Hands over a reading, which runs before all waiting saves and deletions, or after half a second if
    /// there are none.
    ///
    /// - Returns: False if the thread cannot do it soon: no thread can be started, or too many readings wait.
    ///   Then nothing is handed over.
    func enqueueReading(_ run: @escaping @Sendable () -> Void) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let waiting = jobs.prefix { $0.kind == .reading }.count
        guard waiting < Self.capacity, hasOrStartsThread() else { return false }
        jobs.insert(Job(kind: .reading, run: run), at: waiting)
        nextReading = ContinuousClock.now + Self.readingDelay
        return true
    }

    /// Hands over the requested deletions. Waiting saves under the name of the last one are dropped; nil
    /// represents all names.
    ///
    /// - Returns: False if no thread can be started. The deletions then wait until another job is handed
    ///   over, or a caller waits for the jobs.
    func enqueueDeletion(of name: CacheName?, _ run: @escaping @Sendable () -> Void) -> Bool {
        condition.lock()
        jobs.removeAll { job in
            guard case .save(let saved, _) = job.kind else { return false }
            return name == nil || saved == name
        }
        condition.unlock()
        return enqueue(Job(kind: .deletion, run: run))
    }

    /// The time for which a caller waits for a thread that can be started.
    private static let threadTimeout = Duration.seconds(1)

    /// Waits until no job waits or runs, for at most `seconds`, or one second if no thread can be started;
    /// returns whether no job waits or runs.
    func waitUntilIdle(upTo seconds: Double) -> Bool {
        // The clock cannot represent much more, and a longer wait has no use.
        let end = ContinuousClock.now + .seconds(min(max(0, seconds), 1e9))
        let endWithoutThread = min(end, ContinuousClock.now + Self.threadTimeout)
        condition.lock()
        defer { condition.unlock() }
        numberOfWaiting += 1
        defer { numberOfWaiting -= 1 }
        condition.broadcast()
        while isWriting || !jobs.isEmpty {
            let hasThread = hasOrStartsThread()
            let remaining = ContinuousClock.now.duration(to: hasThread ? end : endWithoutThread)
            guard remaining > .zero else { return false }
            // Without a thread, no notification arrives when one can be started.
            condition.wait(atMost: hasThread ? remaining : min(remaining, Self.interval))
        }
        return true
    }

    /// Lets the thread end as soon as it has no work, without waiting for it.
    func endWhenIdle() { isEnding.store(true, ordering: .relaxed) }

    private func enqueue(_ job: Job) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        // Waiting deletions are carried out together.
        if let waiting = jobs.firstIndex(where: { $0.kind == job.kind }) {
            jobs[waiting] = job
        } else {
            if jobs.count >= Self.capacity, let oldest = jobs.firstIndex(where: \.isSave) {
                jobs.remove(at: oldest)
            }
            jobs.append(job)
        }
        if !job.isSave { condition.broadcast() }
        return hasOrStartsThread()
    }

    /// Starts the thread if it does not run. Returns false if none can be started now.
    private func hasOrStartsThread() -> Bool {
        if !hasThread { hasThread = WorkThread.start("cache writer") { [self] in work() } }
        return hasThread
    }

    private func work() {
        condition.lock()
        defer { condition.unlock() }
        let clock = ContinuousClock()
        var nextSave = clock.now
        var end = clock.now
        while true {
            guard let first = jobs.first else {
                guard end > clock.now, !isEnding.load(ordering: .relaxed) else {
                    hasThread = false
                    return
                }
                condition.wait(atMost: Self.interval)
                continue
            }
            // Jobs keep their order, so a waiting deletion ends the pause of the saves before it.
            if first.isSave, numberOfWaiting == 0, !jobs.contains(where: { $0.kind == .deletion }),
                nextSave > clock.now
            {
                condition.wait(atMost: Self.interval)
                continue
            }
            if first.kind == .reading, numberOfWaiting == 0, !isEnding.load(ordering: .relaxed),
                jobs.allSatisfy({ $0.kind == .reading }), nextReading > clock.now
            {
                condition.wait(atMost: min(Self.interval, nextReading - clock.now))
                continue
            }
            jobs.removeFirst()
            isWriting = true
            condition.unlock()
            first.run()
            condition.lock()
            isWriting = false
            if first.isSave { nextSave = clock.now + Self.pause }
            if first.kind != .reading { end = clock.now + Self.idleTime }
            if jobs.isEmpty { condition.broadcast() }
        }
    }
}
