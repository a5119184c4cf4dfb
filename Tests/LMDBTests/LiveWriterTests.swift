import Foundation
import LMDB
import Testing

struct LiveWriterTests {
    @Test(.timeLimit(.minutes(5)))
    func `an environment that another process is writing is always found sound`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        try writeTinyCommits(0..<500, in: try directory.environment())
        async let writer = #expect(processExitsWith: .success) { [path = path as String] in
            let environment = try openEnvironment(path)
            try writeTinyCommits(0..<15_000, in: environment)
        }
        var checks = 0
        var snapshots: Set<Int> = []
        while snapshots.max() ?? 0 < 15_500 {
            // Opened anew each time, as a program start would, and checked as far as a first write would.
            let environment = try directory.environment()
            try environment.checkStructure(forWriting: true)
            checks += 2
            // The thread that starts the process may have to be this one.
            await Task.yield()
            snapshots.insert(try environment.read { (transaction) in transaction.identifier })
        }
        _ = await writer
        print("\(checks) checks, \(snapshots.count) snapshots")
        #expect(snapshots.count > 10)
    }

    @Test func `an environment that a thread is writing is always found sound`() throws {
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

/// Tiny commits overwrite the meta pages as often as can be.
private func writeTinyCommits(_ numbers: Range<Int>, in environment: Environment) throws(LMDBError) {
    for number in numbers {
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: "name")
            let key = Array("\(number % 300)".utf8)
            if number % 7 == 0 { try transaction.removeValue(for: key, in: database) }
            try transaction.put([UInt8](repeating: 1, count: number % 5_000), for: key, in: database)
        }
    }
}
