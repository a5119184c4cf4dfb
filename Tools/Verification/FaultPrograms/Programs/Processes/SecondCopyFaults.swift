import Foundation
import LMDB
import SectionCaching
import Mutants

/// One environment opened twice: under two paths, by a second copy of the library, by liblmdb alone, and its
/// lock file by whoever reads all files.
enum SecondCopyFaults: FaultProgram {
    static let name = "second-copy"
    static let rows = ["A-15"]
    static let summary = "opens a cache's environment or lock file a second time in one process"
    static let releaseCount = 200
    static let mutants: [Mutant] = [.noGuard, .registryByPath]
    static let huntCount = 5

    private static let kinds = [twoPaths, secondCopy, rawBefore, rawAfter, lockFileRead]

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            // A trial that begins with each of them, so that few trials try all.
            for (kind, attempt) in kinds.enumerated() {
                let place = CacheLocation(run.folder.path + "/\(trial)-\(kind)", number: trial)
                try attempt(place, run)
            }
            run.note(.right)
            run.note(.off)
        }
    }

    static func runChild(_ arguments: [String]) throws { try CacheLocation(arguments.dropFirst()).runLook() }

    /// Two ways to one directory are one environment.
    private static func twoPaths(_ place: CacheLocation, _ run: FaultRun) throws {
        let store = place.store()
        try place.fill(store)
        let link = place.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: run.folder.path)
        let name = URL(filePath: place.path).lastPathComponent
        for path in [run.folder.path + "/./" + name, link + "/" + name] {
            try place.expectHit(SectionCacheStore(directory: URL(filePath: path)))
        }
        try place.expectHit(store)
    }

    /// A second copy of the library has the guard, and so this one does without, until that copy has closed
    /// the environment.
    private static func secondCopy(_ place: CacheLocation, _ run: FaultRun) throws {
        try place.fill(place.store())
        do {
            let copy = try LockableFile(name: place.path + "/guard.lock")
            guard try copy.tryLock(Int64(getpid())) else { throw FaultFinding("the guard was not given up") }
            let store = place.store()
            try place.expectOff(.guarded, store)
            store.save(place.sample.index, for: place.sample.request)
            store.deleteCache(named: place.sample.name)
            guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
            copy.unlock(Int64(getpid()))
        }
        try place.expectHit(place.store())
    }

    /// The process has opened the environment by liblmdb alone. Neither that nor anybody else is disturbed.
    private static func rawBefore(_ place: CacheLocation, _ run: FaultRun) throws {
        try place.fill(place.store())
        do {
            let raw = try RawEnvironment(place.path)
            for _ in 0..<3 { try place.expectOff(.guarded, place.store()) }
            guard try raw.takeSlots(atMost: 2) == 2 else { throw FaultFinding("liblmdb alone cannot read") }
            try place.expectOff(.guarded, place.store())
            try place.expectInChild(.hit, run)
        }
        try place.expectHit(place.store())
    }

    /// The process opens the environment by liblmdb alone as well and closes that, and so has lost all its
    /// locks. Nobody else may believe that nobody has it open.
    private static func rawAfter(_ place: CacheLocation, _ run: FaultRun) throws {
        try expectGuarded(place, run) { _ = try RawEnvironment(place.path) }
    }

    /// The process reads all files of the directory, and so has lost all its locks.
    private static func lockFileRead(_ place: CacheLocation, _ run: FaultRun) throws {
        try expectGuarded(place, run) { _ = try Data(contentsOf: URL(filePath: place.path + "/lock.mdb")) }
    }

    private static func expectGuarded(
        _ place: CacheLocation, _ run: FaultRun, losingLocks body: () throws -> Void
    ) throws {
        do {
            let store = place.store()
            try place.fill(store)
            try body()
            try place.expectInChild(.off(.guarded), run)
            try place.fill(store)
        }
        try place.expectInChild(.hit, run)
    }
}
