import Synchronization
import InternalUtilities

/// The one thread that writes to a directory of caches.
///
/// A write transaction belongs to the thread that began it and may wait for another process, so neither a
/// caller's thread nor Swift's cooperative pool may have one. The thread ends when there is nothing to do.
///
/// SAFETY: all state is guarded by `condition`.
final class CacheWriter: @unchecked Sendable {
    /// The greatest number of jobs that wait; beyond it the oldest is dropped, which costs a later miss.
    private static let capacity = 64

    private struct Job {
        let kind: Kind
        let run: @Sendable () -> Void

        enum Kind: Hashable {
            /// A save of the entry with a key, under a name. It may be dropped.
            case save(name: CacheName, key: [UInt8])
            /// The deletions that wait.
            case deletion
            /// Reads rows into memory, before anything that was handed over earlier changes them.
            case reading
        }

        var isSave: Bool { if case .save = kind { true } else { false } }
    }

    private let condition = MonotonicCondition()
    private var jobs: [Job] = []
    private var isWriting = false
    private var hasThread = false
    /// How many wait for everything to be written.
    private var numberOfWaiting = 0
    /// Whether nothing will be handed over any more. Set without the lock, because the thread itself may be
    /// who lets go of the store last.
    private let isEnding = Atomic(false)

    /// How long saves gather after one was written, so that a program which saves all the time writes each
    /// entry a few times a second.
    private static let pause = Duration.milliseconds(100)
    /// How often the thread looks whether there is something to save. Waking it for each save would cost the
    /// caller more than the save has to be quick.
    private static let interval = Duration.milliseconds(50)
    /// How long the thread waits for more to do before it ends.
    private static let retrySchedule = Duration.seconds(2)

    /// Hands over a save of the entry with a key. One of the same entry that still waits is forgotten, and
    /// this one takes its place: what is saved then is newer, and no deletion has come between, because that
    /// would have forgotten the first.
    ///
    /// - Returns: False if there is no thread to be had for it. It waits until something else is handed over,
    ///   or somebody waits for it.
    func enqueueSave(
        under name: CacheName, key: [UInt8], _ run: @escaping @Sendable () -> Void
    ) -> Bool {
        enqueue(Job(kind: .save(name: name, key: key), run: run))
    }

    /// Hands over a reading, which comes before all saves and deletions that wait.
    ///
    /// - Returns: False if the thread cannot do it soon: no thread can be started, or too many readings wait.
    ///   Nothing is handed over then.
    func enqueueReading(_ run: @escaping @Sendable () -> Void) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let waiting = jobs.prefix { $0.kind == .reading }.count
        guard waiting < Self.capacity, hasOrStartsThread() else { return false }
        jobs.insert(Job(kind: .reading, run: run), at: waiting)
        condition.broadcast()
        return true
    }

    /// Hands over the deletions that were asked for. Saves under the name of the last that still wait are
    /// forgotten; nil stands for all names.
    ///
    /// - Returns: As ``enqueueSave(under:key:_:)``.
    func enqueueDeletion(of name: CacheName?, _ run: @escaping @Sendable () -> Void) -> Bool {
        condition.lock()
        jobs.removeAll { job in
            guard case .save(let saved, _) = job.kind else { return false }
            return name == nil || saved == name
        }
        condition.unlock()
        return enqueue(Job(kind: .deletion, run: run))
    }

    /// How long a caller waits for a thread to be had.
    private static let threadRetrySchedule = Duration.seconds(1)

    /// Waits up to `seconds` until nothing waits or runs, and returns whether that is so; up to one second where
    /// no thread can be had.
    func waitUntilIdle(upTo seconds: Double) -> Bool {
        // No clock counts for longer than this, and nobody waits for longer.
        let end = ContinuousClock.now + .seconds(min(max(0, seconds), 1e9))
        let endWithoutThread = min(end, ContinuousClock.now + Self.threadRetrySchedule)
        condition.lock()
        defer { condition.unlock() }
        numberOfWaiting += 1
        defer { numberOfWaiting -= 1 }
        condition.broadcast()
        while isWriting || !jobs.isEmpty {
            let hasThread = hasOrStartsThread()
            let remaining = ContinuousClock.now.duration(to: hasThread ? end : endWithoutThread)
            guard remaining > .zero else { return false }
            // Without a thread nobody would say when there can be one.
            condition.wait(atMost: hasThread ? remaining : min(remaining, Self.interval))
        }
        return true
    }

    /// Lets the thread end as soon as there is nothing to do, and does not wait for it.
    func endWhenIdle() { isEnding.store(true, ordering: .relaxed) }

    private func enqueue(_ job: Job) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        // Deletions that wait are made together.
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

    /// Starts the thread if there is none. False if there is none to be had now.
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
            // Jobs keep their order, so that a deletion waits for no save.
            if first.isSave, numberOfWaiting == 0, !jobs.contains(where: { $0.kind == .deletion }),
                nextSave > clock.now
            {
                condition.wait(atMost: Self.interval)
                continue
            }
            jobs.removeFirst()
            isWriting = true
            condition.unlock()
            first.run()
            condition.lock()
            isWriting = false
            if first.isSave { nextSave = clock.now + Self.pause }
            if first.kind != .reading { end = clock.now + Self.retrySchedule }
            if jobs.isEmpty { condition.broadcast() }
        }
    }
}
