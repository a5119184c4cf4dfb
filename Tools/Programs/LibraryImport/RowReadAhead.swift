import Foundation
import RecordReading
import InternalUtilities
import ToolSupport

/// A queue that reads rows on a separate thread, a few chunks ahead of the consumer.
///
/// Reading and converting cost about as much as SQLite's work, so on two processors an import takes half the
/// time. A thread is used instead of a task because both sides block: one on the file, the other inside a
/// transaction. If no thread can be started, `next()` reads the rows itself.
// SAFETY: `source` is used only by the thread, or only by the caller of `next()` if there is no thread;
// `isAhead` is set once, by `init`; all other mutable state is guarded by `condition`.
final class RowReadAhead: @unchecked Sendable {
    /// The largest number of chunks in the queue: enough for short delays, few enough for constant memory.
    private static let capacity = 4
    private let source: any RowSource
    private let condition = NSCondition()
    private var chunks: [RowChunk] = []
    private var isFinished = false
    private var isCancelled = false
    private var isAhead = false

    /// Creates a queue and starts reading.
    ///
    /// - Parameter source: The source of the rows. The caller must not use it, or its reader, afterwards.
    init(_ source: any RowSource) {
        self.source = source
        isAhead = WorkThread.start("reading rows") { [self] in run() }
    }

    /// Returns the next chunk, waiting for it if necessary, or nil after the last one and after a signal.
    func next() -> RowChunk? {
        guard isAhead else { return Interruption.signal == nil ? source.nextChunk() : nil }
        condition.lock()
        defer { condition.unlock() }
        // A pipe may never deliver data, and a signal handler cannot wake this thread, so the wait is polled.
        while chunks.isEmpty, !isFinished, Interruption.signal == nil {
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
        }
        guard !chunks.isEmpty, Interruption.signal == nil else { return nil }
        condition.broadcast()
        return chunks.removeFirst()
    }

    /// Waits until ``next()`` returns without waiting, and returns whether it does.
    ///
    /// - Parameter limit: The longest wait, or nil for any.
    func isReady(within limit: Duration? = nil) -> Bool {
        guard isAhead else { return true }
        let end = limit.map { ContinuousClock.now + $0 }
        condition.lock()
        defer { condition.unlock() }
        while chunks.isEmpty, !isFinished, Interruption.signal == nil {
            if let end, ContinuousClock.now >= end { return false }
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
        }
        return true
    }

    /// Stops the thread, which may finish its current chunk first.
    func cancel() {
        condition.lock()
        isCancelled = true
        chunks.removeAll()
        condition.broadcast()
        condition.unlock()
    }

    private func run() {
        while let chunk = source.nextChunk() {
            condition.lock()
            while chunks.count >= Self.capacity, !isCancelled { condition.wait() }
            let goesOn = !isCancelled
            if goesOn { chunks.append(chunk) }
            condition.broadcast()
            condition.unlock()
            guard goesOn else { return }
        }
        condition.lock()
        isFinished = true
        condition.broadcast()
        condition.unlock()
    }
}
