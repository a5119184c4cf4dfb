import Foundation
import SectionCaching
import Mutants

/// Caches that are opened and closed over and over in one process, which must not grow.
enum LeakFaults: FaultProgram {
    static let name = "leaks"
    static let rows = ["A-38"]
    static let summary = "opens and closes a cache over and over, and counts descriptors, threads and memory"
    static let releaseCount = 10_000
    static let mutants: [Mutant] = [.leakedDescriptor]
    static let huntCount = 50

    static func run(_ run: inout FaultRun) throws {
        // In a process of its own, which has nothing else open.
        let end = try run.child(["\(run.count)", run.folder.path + "/caches"], timeLimit: 1_800)
        guard end.status == 0 else { throw FaultFinding("\(end)") }
        for _ in 0..<run.count { run.note(.right) }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2, let count = Int(arguments[0]) else { throw FaultFinding("\(arguments)") }
        let place = CacheLocation(arguments[1], number: 3)
        try place.fill(place.store())
        for number in 0..<50 { try cycle(place, number) }
        let before = try Usage.settled(atMost: nil)
        for number in 0..<count { try cycle(place, number) }
        let after = try Usage.settled(atMost: before)
        guard after.isNoMore(than: before) else { throw FaultFinding("\(before) became \(after)") }
    }

    private static func cycle(_ place: CacheLocation, _ number: Int) throws {
        let store = place.store()
        try place.expectHit(store)
        // Not each time: a save waits for others to gather.
        guard number % 10 == 0 else { return }
        let other = CacheSample(name: "other", number: number)
        store.save(other.index, for: other.request)
        if number % 20 == 0 { store.waitForSaves(upTo: 30) }
    }

    /// What a process takes of the system.
    private struct Usage: CustomStringConvertible {
        let descriptors: Int
        let threads: Int
        let mappings: Int
        /// In KiB.
        let memory: Int

        init() throws {
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            mappings = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n")
                .count { $0.hasSuffix(".mdb") }
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            memory = (Int(pages[1]) ?? 0) * 4
        }

        /// What it takes once threads that have nothing to do have ended.
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
                // What an allocator keeps varies; what leaks grows with each cycle.
                && memory <= other.memory + 8_192
        }

        var description: String {
            "\(descriptors) descriptors, \(threads) threads, \(mappings) maps of caches, \(memory) KiB"
        }
    }
}
