import Foundation
import LMDB
import InternalUtilities

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

    /// Computes something for each of some numbers, in any order, and waits for all.
    ///
    /// A thread that comes late finds nothing left to do, and nobody waits for it. Where there is none to be
    /// had the caller does everything. Dispatch would have him wait until there is one.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - least: How many a core has to have to be worth while.
    ///   - body: Computes one. It is called from several threads at the same time.
    /// - Returns: What was computed, in the order of the numbers.
    static func map<Result: Sendable>(
        _ count: Int, least: Int, _ body: @escaping @Sendable (Int) -> Result
    ) -> [Result] {
        // In a forked child, which has none of its parent's threads, some of what a thread needs may be
        // locked for ever.
        let isAlone = count / least <= 1 || EnvironmentRegistry.isInForkedChild
        let threads = isAlone ? 1 : min(mostThreads, count / least, processors)
        return [Result](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            // Each number has a place of its own, which is written once, before anybody stops waiting for it.
            nonisolated(unsafe) let places = buffer
            if threads > 1 {
                let work = SharedWork(count) { places.initializeElement(at: $0, to: body($0)) }
                for _ in 1..<threads {
                    guard WorkThread.start("index chunks", work.run) else { break }
                }
                work.run()
                work.wait()
            } else {
                for number in 0..<count { places.initializeElement(at: number, to: body(number)) }
            }
            initializedCount = count
        }
    }
}
