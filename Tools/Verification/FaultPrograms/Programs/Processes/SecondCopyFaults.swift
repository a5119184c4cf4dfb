import Foundation
import LMDB
import SectionCaching
import Mutants

/// Environments that are opened twice: by two paths, by a second copy of the library, and by liblmdb alone;
/// and lock files that the process opens and closes.
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
            // Each trial tests all kinds, so that few trials suffice.
            for (kind, attempt) in kinds.enumerated() {
                let location = CacheLocation(run.folder.path + "/\(trial)-\(kind)", number: trial)
                try attempt(location, run)
            }
            run.note(.right)
            run.note(.off)
        }
    }

    static func runChild(_ arguments: [String]) throws { try CacheLocation(arguments.dropFirst()).runLook() }

    /// Checks that two paths of one directory give one environment.
    private static func twoPaths(_ location: CacheLocation, _ run: FaultRun) throws {
        let store = location.store()
        try location.fill(store)
        let link = location.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: run.folder.path)
        let name = URL(filePath: location.path).lastPathComponent
        for path in [run.folder.path + "/./" + name, link + "/" + name] {
            try location.expectHit(SectionCacheStore(directory: URL(filePath: path)))
        }
        try location.expectHit(store)
    }

    /// Checks that this copy of the library does not use the cache while a second copy holds the guard.
    private static func secondCopy(_ location: CacheLocation, _ run: FaultRun) throws {
        try location.fill(location.store())
        do {
            let copy = try LockableFile(name: location.path + "/guard.lock")
            guard try copy.tryLock(Int64(getpid())) else { throw FaultFinding("the guard was not released") }
            let store = location.store()
            try location.expectOff(.guarded, store)
            store.save(location.sample.index, for: location.sample.request)
            store.deleteCache(named: location.sample.name)
            guard store.waitForWrites(upTo: 30) else {
                throw FaultFinding("a save to the cache does not end")
            }
            copy.unlock(Int64(getpid()))
        }
        try location.expectHit(location.store())
    }

    /// Checks that the library does not use an environment that the process has opened by liblmdb alone, and
    /// disturbs neither liblmdb nor other processes.
    private static func rawBefore(_ location: CacheLocation, _ run: FaultRun) throws {
        try location.fill(location.store())
        do {
            let raw = try RawEnvironment(location.path)
            for _ in 0..<3 { try location.expectOff(.guarded, location.store()) }
            guard try raw.takeSlots(atMost: 2) == 2 else { throw FaultFinding("liblmdb alone cannot read") }
            try location.expectOff(.guarded, location.store())
            try location.expectInChild(.hit, run)
        }
        try location.expectHit(location.store())
    }

    /// Opens and closes the environment by liblmdb alone as well, by which the process loses all its locks.
    /// No other process may conclude that the environment is unused.
    private static func rawAfter(_ location: CacheLocation, _ run: FaultRun) throws {
        try expectGuarded(location, run) { _ = try RawEnvironment(location.path) }
    }

    /// Reads all files of the directory, by which the process loses all its locks.
    private static func lockFileRead(_ location: CacheLocation, _ run: FaultRun) throws {
        try expectGuarded(location, run) {
            _ = try Data(contentsOf: URL(filePath: location.path + "/lock.mdb"))
        }
    }

    private static func expectGuarded(
        _ location: CacheLocation, _ run: FaultRun, losingLocks body: () throws -> Void
    ) throws {
        do {
            let store = location.store()
            try location.fill(store)
            try body()
            try location.expectInChild(.off(.guarded), run)
            try location.fill(store)
        }
        try location.expectInChild(.hit, run)
    }
}
