import Foundation
import ToolSupport

/// Some histories one after the other.
struct ReplaySession {
    let firstSeed: UInt64
    let operations: Int
    let isVerbose: Bool
    private var done = 0
    private var histories: UInt64 = 0
    private var counts: [String: Int] = [:]

    /// How many rows are written in one history.
    private static let historyLength = 2_000

    init(firstSeed: UInt64, operations: Int, isVerbose: Bool) {
        self.firstSeed = firstSeed
        self.operations = operations
        self.isVerbose = isVerbose
    }

    /// Replays until enough rows were written.
    ///
    /// - Throws: ``ToolSupport/ToolFinding`` for the first failure.
    mutating func run() throws {
        var reported = 0
        while done < operations {
            try replay(seed: firstSeed &+ histories)
            histories += 1
            if done - reported >= max(operations / 20, 20_000) || done >= operations {
                reported = done
                print("\(done) of \(operations) operations, \(histories) histories, seeds from \(firstSeed)")
                fflush(nil)
            }
        }
        for (what, count) in counts.sorted(by: { $0.key < $1.key }) { print("  \(what): \(count)") }
    }

    private mutating func replay(seed: UInt64) throws {
        let history = try History(seed: seed)
        try history.begin()
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
        done += history.operations
        counts.merge(history.watcher.counts, uniquingKeysWith: +)
    }
}
