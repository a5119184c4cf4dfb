import Foundation
import RecordReading
import Threading

/// Reads rows on a thread of its own, a few chunks ahead of whoever takes them.
///
/// Reading and converting cost about as much as SQLite's work, so on two processors an import takes half the
/// time. A thread and not a task, because both sides block: one on the file, the other inside a transaction.
/// Where there is none to be had, rows are read when they are asked for.
// SAFETY: `source` is used by the thread alone, or by whoever asks if there is none; `isAhead` is set once,
// by `init`; everything else that changes is guarded by `condition`.
final class RowReadAhead: @unchecked Sendable {
    /// Enough to even out short delays, few enough for constant memory.
    private static let capacity = 4
    private let source: any RowSource
    private let condition = NSCondition()
    private var chunks: [RowChunk] = []
    private var isFinished = false
    private var isCancelled = false
    private var isAhead = false

    /// Begins to read.
    ///
    /// - Parameter source: Nobody else may use it, or the reader behind it, from now on.
    init(_ source: any RowSource) {
        self.source = source
        isAhead = WorkThread.start("reading rows") { [self] in run() }
    }

    /// The next chunk, waiting for it if need be; nil after the last.
    func next() -> RowChunk? {
        guard isAhead else { return source.nextChunk() }
        condition.lock()
        defer { condition.unlock() }
        while chunks.isEmpty, !isFinished { condition.wait() }
        guard !chunks.isEmpty else { return nil }
        condition.broadcast()
        return chunks.removeFirst()
    }

    /// Ends the thread, which may still be at the chunk in hand.
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
