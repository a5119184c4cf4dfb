import CheckSupport
import Foundation
import LMDB
import Synchronization
import Testing

/// A map size that suffices even if one snapshot stays open from the first commit to the last, as happens on
/// a busy machine.
private let roomForAll = 1 << 30

struct LiveWriterTests {
    @Test(.timeLimit(.minutes(30)))
    func `the structure check passes while another process writes`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        try writeTinyCommits(0..<500, in: try directory.environment(mapSize: roomForAll))
        let observer = Observer(path)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let environment = try patiently { try openEnvironment(path, mapSize: roomForAll) }
            try writeTinyCommits(0..<15_000, in: environment)
        }
        let snapshots = try observer.finish()
        print("\(snapshots.count) snapshots")
        #expect(snapshots.count > 10)
        #expect(snapshots.max() ?? 0 >= 15_500)
    }

    @Test func `the structure check passes while another thread writes`() throws {
        let directory = try TemporaryDirectory()
        let environment = try directory.environment()
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            #expect(throws: Never.self) { try writeTinyCommits(0..<10_000, in: environment) }
            isDone.signal()
        }.start()
        var checks = 0
        while isDone.wait(timeout: .now()) == .timedOut {
            try environment.checkStructure(forWriting: checks % 2 == 0)
            checks += 1
        }
        print("\(checks) checks")
        #expect(checks > 10)
    }
}

/// Opens and checks an environment repeatedly on a dedicated thread, which other tests cannot keep from
/// running.
private final class Observer: Sendable {
    private let path: String
    private let mustStop = Atomic<Bool>(false)
    private let hasStopped = DispatchSemaphore(value: 0)
    private let outcome = Mutex<Result<Set<Int>, any Error>>(.success([]))

    init(_ path: String) {
        self.path = path
        Thread { [self] in
            let found = Result { try observe() }
            outcome.withLock { $0 = found }
            hasStopped.signal()
        }.start()
    }

    /// Returns the snapshots that were seen; the last one includes all writes that preceded this call.
    func finish() throws -> Set<Int> {
        mustStop.store(true, ordering: .sequentiallyConsistent)
        hasStopped.wait()
        return try outcome.withLock { try $0.get() }
    }

    private func observe() throws -> Set<Int> {
        var snapshots: Set<Int> = []
        var isLast = false
        while !isLast {
            isLast = mustStop.load(ordering: .sequentiallyConsistent)
            let snapshot = try patiently {
                // Opened anew each time, as at program start, and checked as thoroughly as before a first
                // write.
                let environment = try openEnvironment(path, mapSize: roomForAll)
                try environment.checkStructure(forWriting: true)
                return try environment.read { (transaction) in transaction.identifier }
            }
            snapshots.insert(snapshot)
        }
        return snapshots
    }
}

/// Commits tiny transactions, which overwrite the meta pages as often as possible.
///
/// A checker that the scheduler suspends pins its snapshot, and after some thousand commits no free page is
/// left. The writer then waits.
private func writeTinyCommits(_ numbers: Range<Int>, in environment: Environment) throws(LMDBError) {
    for number in numbers {
        while try !writeTinyCommit(number, in: environment) { usleep(1_000) }
    }
}

/// Commits one tiny transaction; returns false if the map is full.
private func writeTinyCommit(_ number: Int, in environment: Environment) throws(LMDBError) -> Bool {
    do throws(LMDBError) {
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: "name")
            let key = Array("\(number % 300)".utf8)
            if number % 7 == 0 { try transaction.removeValue(for: key, in: database) }
            try transaction.put([UInt8](repeating: 1, count: number % 5_000), for: key, in: database)
        }
        return true
    } catch {
        guard error.code == .mapFull else { throw error }
        return false
    }
}
