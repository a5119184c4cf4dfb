import Foundation
import SectionCaching
import Mutants

/// A cache that is opened and closed again and again in one process, whose resources must not grow.
enum LeakFaults: FaultProgram {
    static let name = "leaks"
    static let rows = ["A-38"]
    static let summary =
        "opens and closes a cache again and again, and counts descriptors, threads and memory"
    static let releaseCount = 10_000
    static let mutants: [Mutant] = [.leakedDescriptor]
    static let huntCount = 50

    static func run(_ run: inout FaultRun) throws {
        // A separate process has nothing else open.
        let end = try run.child(["\(run.count)", run.folder.path + "/caches"], timeLimit: 1_800)
        guard end.status == 0 else { throw FaultFinding("\(end)") }
        for _ in 0..<run.count { run.note(.right) }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2, let count = Int(arguments[0]) else { throw FaultFinding("\(arguments)") }
        let location = CacheLocation(arguments[1], number: 3)
        try location.fill(location.store())
        for number in 0..<50 { try cycle(location, number) }
        let before = try Usage.settled(atMost: nil)
        for number in 0..<count { try cycle(location, number) }
        let after = try Usage.settled(atMost: before)
        guard after.isNoMore(than: before) else { throw FaultFinding("\(before) became \(after)") }
    }

    private static func cycle(_ location: CacheLocation, _ number: Int) throws {
        let store = location.store()
        try location.expectHit(store)
        // Not in every cycle: a save waits for others to join it.
        guard number % 10 == 0 else { return }
        let other = CacheSample(name: "other", number: number)
        store.save(other.index, for: other.request)
        if number % 20 == 0 { store.waitForWrites(upTo: 30) }
    }

    /// The resources of a process.
    private struct Usage: CustomStringConvertible {
        let descriptors: Int
        let threads: Int
        let mappings: Int
        /// The resident memory, in KiB.
        let memory: Int

        init() throws {
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            mappings = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
                .count { $0.hasSuffix(".mdb") }
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            memory = (Int(pages[1]) ?? 0) * 4
        }

        /// Returns the resources after idle threads have ended.
        static func settled(atMost limit: Usage?) throws -> Usage {
            var usage = try Usage()
            for _ in 0..<60 {
                let goal = limit.map { usage.isNoMore(than: $0) } ?? (usage.threads <= 1)
                if goal { break }
                usleep(100_000)
                usage = try Usage()
            }
            return usage
        }

        func isNoMore(than other: Usage) -> Bool {
            descriptors <= other.descriptors && threads <= other.threads && mappings <= other.mappings
                // The memory that an allocator retains varies; a leak grows with each cycle.
                && memory <= other.memory + 8_192
        }

        var description: String {
            "\(descriptors) descriptors, \(threads) threads, \(mappings) maps of caches, \(memory) KiB"
        }
    }
}
