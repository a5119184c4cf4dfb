import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Processes that use a cache at the same time: two commit and save, four look up, and one deletes caches and
/// removes the whole directory.
enum ManyProcessFaults: FaultProgram {
    static let name = "many-processes"
    static let rows = ["A-31"]
    static let summary = "looks up in four processes the entries that two others save and one deletes"
    static let releaseCount = 200_000
    static let mutants: [Mutant] = [.replacedDirectoryKept]
    static let huntCount = 2_000

    private static let readers = 4

    static func run(_ run: inout FaultRun) throws {
        let folder = run.folder.path
        try CommitSequence(folder).begin()
        var others: [FaultChild] = []
        for role in ["write", "write", "delete"] {
            others.append(try run.start([role, folder, "\(run.seed &+ UInt64(others.count))", "0"]))
        }
        let share = max(1, run.count / readers)
        let looking = try (0..<readers).map { number in
            try run.start(["look", folder, "\(run.seed &+ UInt64(10 + number))", "\(share)"])
        }
        for child in looking {
            let end = try child.wait(upTo: 3_600)
            let hits = end.output.split(separator: "\n").last.flatMap { Int($0) }
            guard end.status == 0, let hits else { throw FaultFinding("a reader: \(end)") }
            for number in 0..<share { run.note(number < hits ? .right : .missed) }
        }
        try Data().write(to: URL(filePath: folder + "/stop"))
        for child in others {
            let end = try child.wait(upTo: 60)
            guard end.status == 0 else { throw FaultFinding("a writing or deleting process: \(end)") }
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 4, let seed = UInt64(arguments[2]), let count = Int(arguments[3]) else {
            throw FaultFinding("\(arguments)")
        }
        var process = ManyProcessRole(folder: arguments[1], generator: SeededGenerator(seed: seed))
        switch arguments[0] {
        case "look": print(try process.look(times: count))
        case "write": try process.write()
        default: try process.delete()
        }
    }
}

/// The work of one of the processes.
private struct ManyProcessRole {
    let folder: String
    var generator: SeededGenerator

    private var caches: String { folder + "/caches" }
    private var isOver: Bool { access(folder + "/stop", F_OK) == 0 }
    private func store() -> SectionCacheStore { SectionCacheStore(directory: URL(filePath: caches)) }

    /// Returns the sample that a cache must hold after a commit.
    private func sample(asOf number: Int, name: CacheName) -> CacheSample {
        var sample = CacheSample(name: name, number: number)
        sample.states = [
            "a": UInt8(truncatingIfNeeded: number), "b": UInt8(truncatingIfNeeded: number >> 8),
            "c": UInt8(truncatingIfNeeded: number >> 16),
        ]
        return sample
    }

    private mutating func anyName() -> CacheName {
        (["x", "y", "z"] as [CacheName])[Int.random(in: 0..<3, using: &generator)]
    }

    /// Commits and saves, as a program does while its other threads commit.
    mutating func write() throws {
        let commits = CommitSequence(folder)
        let store = store()
        while !isOver {
            let number = try commits.commit()
            for name in ["x", "y", "z"] as [CacheName] {
                let sample = sample(asOf: number, name: name)
                store.save(sample.index, for: sample.request)
            }
            if Bool.random(using: &generator) {
                guard store.waitForWrites(upTo: 30) else {
                    throw FaultFinding("a save to the cache does not end")
                }
            }
            usleep(UInt32.random(in: 0..<4_000, using: &generator))
        }
    }

    /// Looks up for the last commit, and reads rows of an earlier hit.
    ///
    /// - Returns: The number of hits.
    mutating func look(times count: Int) throws -> Int {
        let commits = CommitSequence(folder)
        var store = store()
        var hits = 0
        var held: (sample: CacheSample, lookup: CacheLookup)?
        for _ in 0..<count {
            let sample = sample(asOf: try commits.last(), name: anyName())
            let lookup = store.lookUp(sample.request)
            if try sample.check(lookup, mustHit: false) {
                hits += 1
                if Int.random(in: 0..<8, using: &generator) == 0 { held = (sample, lookup) }
            }
            // The rows may be lost by now, but not wrong.
            try held?.sample.check(held?.lookup ?? .miss(.absent), mustHit: false)
            if Int.random(in: 0..<200, using: &generator) == 0 { store = self.store() }
        }
        return hits
    }

    /// Deletes caches, and checks that its own are not found again. At times it removes the whole directory
    /// while other processes use it.
    mutating func delete() throws {
        let store = store()
        var number = 0
        while !isOver {
            number += 1
            let own = CacheSample(name: "own", number: number)
            store.save(own.index, for: own.request)
            guard store.waitForWrites(upTo: 30) else {
                throw FaultFinding("a save to the cache does not end")
            }
            try own.check(store.lookUp(own.request), mustHit: false)
            if number % 10 == 0 {
                try removeDirectory(number)
            } else {
                store.deleteCache(named: "own")
                store.deleteCache(named: anyName())
                try expectNone(own, store)
                guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a deletion does not end") }
            }
            try expectNone(own, store)
            usleep(UInt32.random(in: 0..<8_000, using: &generator))
        }
    }

    private func expectNone(_ sample: CacheSample, _ store: SectionCacheStore) throws {
        guard case .miss = store.lookUp(sample.request) else {
            throw FaultFinding("found a deleted cache")
        }
    }

    private func removeDirectory(_ number: Int) throws {
        let aside = folder + "/aside-\(number)"
        guard rename(caches, aside) == 0 else { return }
        try FileManager.default.removeItem(atPath: aside)
    }
}

/// The number of the last commit, in a file that is locked during changes. It represents a store.
private struct CommitSequence {
    private let path: String

    init(_ folder: String) { path = folder + "/commits" }

    func begin() throws { try change { _ in 1 } }

    func commit() throws -> Int { try change { $0 + 1 } }

    func last() throws -> Int { try change { $0 } }

    @discardableResult
    private func change(_ body: (Int) -> Int) throws -> Int {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw FaultFinding("commits: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var number = 0
        pread(descriptor, &number, MemoryLayout<Int>.size, 0)
        let changed = body(number)
        if changed != number {
            number = changed
            pwrite(descriptor, &number, MemoryLayout<Int>.size, 0)
        }
        return number
    }
}
