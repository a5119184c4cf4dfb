import Dispatch
import Foundation
import LMDB
import Synchronization

/// Independent pieces of work on several cores.
enum Parallel {
    /// No more than this, whatever the machine has: the memory is read by all of them.
    private static let mostThreads = 4

    #if os(Linux) || os(Android)
    /// Foundation reads files to tell how many there are, each time.
    private static let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #else
    private static let processors = ProcessInfo.processInfo.activeProcessorCount
    #endif

    /// A forked child has none of the threads that its parent had, and of which the queues know.
    private static var canBeUsed: Bool { !EnvironmentRegistry.isInForkedChild }

    /// Computes something for each of some numbers, in any order, and waits for all.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - least: How many a core has to have to be worth while.
    ///   - body: Computes one. It is called from several threads at the same time.
    /// - Returns: What was computed, in the order of the numbers.
    static func map<Result: Sendable>(
        _ count: Int, least: Int, _ body: @Sendable (Int) -> Result
    ) -> [Result] {
        let threads = canBeUsed && count / least > 1 ? min(mostThreads, count / least, processors) : 1
        return [Result](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            // Each number has a place of its own, which is written once.
            nonisolated(unsafe) let places = buffer
            if threads > 1 {
                // A thread may come late, and then finds less to do.
                let next = Atomic(0)
                DispatchQueue.concurrentPerform(iterations: threads) { _ in
                    while case let number = next.add(1, ordering: .relaxed).oldValue, number < count {
                        places.initializeElement(at: number, to: body(number))
                    }
                }
            } else {
                for number in 0..<count { places.initializeElement(at: number, to: body(number)) }
            }
            initializedCount = count
        }
    }
}
