import Foundation
import LMDB
import InternalUtilities

/// The execution of independent pieces of work on several cores.
enum Parallel {
    /// The maximum number of threads on any machine, because all of them read the same memory.
    private static let mostThreads = 4

    #if os(Linux) || os(Android)
    /// The number of processors. Foundation would read files at each query.
    private static let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    #else
    private static let processors = ProcessInfo.processInfo.activeProcessorCount
    #endif

    /// Computes a result for each of some numbers, in any order, and waits for all results.
    ///
    /// A thread that starts late finds no work left, and the caller does not wait for it. If no thread can be
    /// started, the caller does all work. Dispatch would block the caller until a thread is available.
    ///
    /// - Parameters:
    ///   - count: The number of results.
    ///   - least: The minimum number of results that is worth a thread.
    ///   - body: Computes one result. It is called from several threads at the same time.
    /// - Returns: The results, in the order of the numbers.
    static func map<Result: Sendable>(
        _ count: Int, least: Int, _ body: @escaping @Sendable (Int) -> Result
    ) -> [Result] {
        // A forked child has none of its parent's threads, so locks that starting a thread needs may stay
        // locked forever.
        let isAlone = count / least <= 1 || EnvironmentRegistry.isInForkedChild
        let threads = isAlone ? 1 : min(mostThreads, count / least, processors)
        return [Result](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            // Each number has an element of the buffer, which is written once, before the caller stops
            // waiting for it.
            nonisolated(unsafe) let elements = buffer
            if threads > 1 {
                let work = SharedWork(count) { elements.initializeElement(at: $0, to: body($0)) }
                for _ in 1..<threads {
                    guard WorkThread.start("index chunks", work.run) else { break }
                }
                work.run()
                work.wait()
            } else {
                for number in 0..<count { elements.initializeElement(at: number, to: body(number)) }
            }
            initializedCount = count
        }
    }
}
