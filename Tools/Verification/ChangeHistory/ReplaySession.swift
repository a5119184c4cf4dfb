import Foundation
import Synchronization
import ToolSupport

/// Replays random histories on one or several threads.
package final class ReplaySession: Sendable {
    private let firstSeed: UInt64
    private let operations: Int
    private let isVerbose: Bool
    private let progress = Mutex(Progress())

    private struct Progress {
        /// The number of histories that were started.
        var begun: UInt64 = 0
        var histories = 0
        var operations = 0
        /// The number of operations in the last progress line.
        var reported = 0
        var counts: [String: Int] = [:]
        var finding: ToolFinding?
    }

    /// The totals of one history.
    private struct Outcome {
        var operations = 0
        var counts: [String: Int] = [:]
    }

    /// The number of rows written in one history.
    private static let historyLength = 2_000

    /// Creates a session that replays nothing yet.
    ///
    /// - Parameters:
    ///   - firstSeed: The seed of the first history; each later history has the next number.
    ///   - operations: The number of rows to write in all.
    package init(firstSeed: UInt64, operations: Int, isVerbose: Bool) {
        self.firstSeed = firstSeed
        self.operations = operations
        self.isVerbose = isVerbose
    }

    /// Replays until enough rows were written, or a history fails.
    ///
    /// - Parameter jobs: The number of histories at the same time. Apart from the last ones, the same
    ///   histories are replayed for each number.
    /// - Throws: ``ToolSupport/ToolFinding`` for the first failure.
    package func run(jobs: Int) throws {
        let others = DispatchGroup()
        for _ in 1..<max(1, jobs) {
            others.enter()
            let thread = Thread { [self] in
                work()
                others.leave()
            }
            // The stack size of the main thread.
            thread.stackSize = 8 << 20
            thread.start()
        }
        work()
        others.wait()
        let end = progress.withLock { $0 }
        if let finding = end.finding { throw finding }
        for (event, count) in end.counts.sorted(by: { $0.key < $1.key }) { print("  \(event): \(count)") }
    }

    private func work() {
        while let seed = nextSeed() {
            do throws(ToolFinding) {
                note(try replay(seed: seed))
            } catch {
                progress.withLock { $0.finding = $0.finding ?? error }
            }
        }
    }

    private func nextSeed() -> UInt64? {
        progress.withLock { progress in
            guard progress.operations < operations, progress.finding == nil else { return nil }
            defer { progress.begun += 1 }
            return firstSeed &+ progress.begun
        }
    }

    private func note(_ outcome: Outcome) {
        progress.withLock { progress in
            progress.histories += 1
            progress.operations += outcome.operations
            progress.counts.merge(outcome.counts, uniquingKeysWith: +)
            let isOver = progress.operations >= operations
            guard isOver || progress.operations - progress.reported >= max(operations / 20, 20_000) else {
                return
            }
            progress.reported = progress.operations
            print(
                "\(progress.operations) of \(operations) operations, \(progress.histories) histories, seeds from \(firstSeed)"
            )
            fflush(nil)
        }
    }

    private func replay(seed: UInt64) throws(ToolFinding) -> Outcome {
        let history: History
        do {
            history = try History(seed: seed)
            try history.begin()
        } catch {
            throw ToolFinding("seed \(seed) cannot start: \(error)")
        }
        if isVerbose { print("seed \(seed): \(history.title)") }
        var batch = 0
        while history.operations < Self.historyLength, batch < 300 {
            do {
                try history.step()
            } catch {
                history.watcher.fail("\(error)")
            }
            if isVerbose { print("  \(batch): \(history.actions.joined(separator: ", "))") }
            guard history.watcher.failures.isEmpty else {
                print(
                    """
                    seed \(seed), batch \(batch): \(history.actions.joined(separator: ", "))
                    \(history.title)
                    \(history.watcher.failures.prefix(5).joined(separator: "\n"))
                    To replay: change-replay --seed \(seed) --operations 1 --verbose
                    """)
                throw ToolFinding("seed \(seed) fails in batch \(batch)")
            }
            batch += 1
        }
        return Outcome(operations: history.operations, counts: history.watcher.counts)
    }
}
