import Foundation
import RecordReading
import InternalUtilities
import ToolSupport

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

    /// The next chunk, waiting for it if need be; nil after the last, and when a signal came.
    func next() -> RowChunk? {
        guard isAhead else { return Interruption.signal == nil ? source.nextChunk() : nil }
        condition.lock()
        defer { condition.unlock() }
        // Nothing may ever come out of a pipe, and a handler of signals cannot wake this thread.
        while chunks.isEmpty, !isFinished, Interruption.signal == nil {
            _ = condition.wait(until: Date(timeIntervalSinceNow: 0.1))
        }
        guard !chunks.isEmpty, Interruption.signal == nil else { return nil }
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
