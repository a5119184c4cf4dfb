import CheckSupport
import Foundation
import LMDB
import Testing

struct ProcessLockTests {
    private static let tableByte: Int64 = 1 << 40

    private func guardFile(_ directory: TemporaryDirectory) throws(LMDBError) -> LockableFile {
        try LockableFile(name: directory.path + "/guard.lock")
    }

    private func code<Result>(_ body: () throws -> Result) -> LMDBError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? LMDBError)?.code
        }
    }

    @Test func `a byte lock excludes other openings of the file until the file is closed`() throws {
        let directory = try TemporaryDirectory()
        let second = try guardFile(directory)
        do {
            let first = try guardFile(directory)
            #expect(try first.tryLock(7))
            #expect(try first.tryLock(7))
            #expect(try !second.tryLock(7))
            #expect(try second.isLockedElsewhere(0..<8))
            #expect(try !first.isLockedElsewhere(0..<8))
            #expect(try second.tryLock(8))
            // Closing another descriptor of the same file releases no lock.
            do { _ = try guardFile(directory) }
            #expect(try !second.tryLock(7))
            withExtendedLifetime(first) {}
        }
        #expect(try second.tryLock(7))
    }

    @Test func `opening fails with .guarded while another open file has locked this process's ID`() throws {
        let directory = try TemporaryDirectory()
        let other = try guardFile(directory)
        #expect(try other.tryLock(Int64(getpid())))
        #expect(code { try directory.environment() } == .guarded)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["guard.lock"])
        other.unlock(Int64(getpid()))
        let environment = try directory.environment()
        #expect(try !other.tryLock(Int64(getpid())))
        withExtendedLifetime(environment) {}
    }

    @Test func `closing an environment releases the lock on the process ID`() throws {
        let directory = try TemporaryDirectory()
        do { _ = try directory.environment() }
        #expect(try guardFile(directory).tryLock(Int64(getpid())))
    }

    @Test func `opening fails with .busy instead of blocking while the reader table is locked`() throws {
        let directory = try TemporaryDirectory()
        let other = try guardFile(directory)
        #expect(try other.tryLock(Self.tableByte))
        for _ in 0..<3 { #expect(code { try directory.environment() } == .busy) }
        other.unlock(Self.tableByte)
        _ = try directory.environment()
    }

    @Test(.timeLimit(.minutes(30)))
    func `processes that open an environment at the same time all succeed`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        // Closed at once, so that most of the time no process has it open when the next one
                        // opens it.
                        for _ in 0..<3_000 { _ = try patiently { try openEnvironment(path) } }
                    }
                }
            }
        }
    }

    @Test func `an open environment can be read while its reader table is locked`() throws {
        let directory = try TemporaryDirectory()
        let environment = try directory.environment()
        try environment.write { (transaction) throws(LMDBError) in
            try transaction.put([1], for: [2], in: try transaction.database(creating: "name"))
        }
        let database = try #require(try environment.existingDatabase(named: "name"))
        let value = {
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.withValue(of: [2], in: database) { $0.byteCount }
            }
        }
        #expect(try value() == 1)
        let other = try guardFile(directory)
        #expect(try other.tryLock(Self.tableByte))
        #expect(try value() == 1)
        // A second reader at the same time needs another reader slot.
        try environment.read { (_) throws(LMDBError) in #expect(code(value) == .busy) }
        other.unlock(Self.tableByte)
        try environment.read { (_) throws(LMDBError) in #expect(code(value) == nil) }
    }

    @Test func `an environment whose data file cannot be created leaves no files behind`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.path + "/lock.mdb", 0o700) == 0)
        #expect(code { try directory.environment() } != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["lock.mdb"])
    }

    @Test func `a failed opening does not remove a guard file that is in use`() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir(directory.path + "/lock.mdb", 0o700) == 0)
        let other = try guardFile(directory)
        #expect(try other.tryLock(7))
        #expect(code { try directory.environment() } != nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).contains("guard.lock"))
        withExtendedLifetime(other) {}
    }

    @Test func `a file that outgrew the map fails with .mapResized and can be opened again`() async throws {
        let directory = try TemporaryDirectory()
        do {
            let environment = try directory.environment(mapSize: 1 << 20)
            let path = directory.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let environment = try openEnvironment(path, mapSize: 64 << 20)
                try environment.write { (transaction) throws(LMDBError) in
                    let bytes = [UInt8](repeating: 1, count: 4 << 20)
                    try transaction.put(bytes, for: [1], in: try transaction.database(creating: "name"))
                }
            }
            #expect(code { try environment.read { (_) throws(LMDBError) in } } == .mapResized)
        }
        #expect(try directory.environment(mapSize: 1 << 20).databaseNames() == ["name"])
    }
}
