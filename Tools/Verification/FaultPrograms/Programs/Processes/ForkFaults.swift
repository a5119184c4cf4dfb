import Foundation
import SectionCaching
import Mutants
import Synchronization

/// Processes that are forked while threads of their parent read and write caches.
enum ForkFaults: FaultProgram {
    static let name = "fork"
    static let rows = ["A-16"]
    static let summary = "forks, with and without exec, in the middle of reads and writes"
    static let releaseCount = 500
    static let mutants: [Mutant] = [.noProcessCheck]
    static let huntCount = 2

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            let location = CacheLocation(run.folder.path + "/\(trial)", number: trial)
            let store = location.store()
            try location.fill(store)
            let traffic = Traffic(location, store)
            // Created before the fork: the child has only one thread, and other threads may have held locks
            // of the runtime.
            let fresh = location.store()
            let request = location.sample.request
            let index = location.sample.index
            let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
            let children = [
                fork { isOff(store.lookUp(request)) },
                fork { isOff(fresh.lookUp(request)) },
                fork {
                    store.save(index, for: request)
                    store.deleteCache(named: request.name)
                    return !store.waitForWrites(upTo: 60)
                },
                fork { true },
                fork(executing: [executable, "child", name, "look"] + location.arguments),
                // This child outlives its parent's use of the cache.
                fork { waitToBeKilled() },
            ]
            defer { for child in children { kill(child, SIGKILL) } }
            for (number, child) in children.dropLast().enumerated() {
                let status = try end(of: child)
                guard status == 0 else { throw FaultFinding("forked child \(number) ended with \(status)") }
            }
            try traffic.stop()
            try location.fill(store)
            run.note(.off)
            guard let survivor = children.last else { continue }
            try expectReopened(location, store)
            kill(survivor, SIGKILL)
            _ = try end(of: survivor)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        let location = try CacheLocation(arguments.dropFirst())
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
            if let target, target.hasPrefix(location.path) { throw FaultFinding("\(target) was inherited") }
        }
        try location.sample.check(location.store().lookUp(location.sample.request), mustHit: false)
    }

    /// Checks that the descriptors of a child do not keep its parent from opening the cache again.
    private static func expectReopened(_ location: CacheLocation, _ store: consuming SectionCacheStore) throws
    {
        _ = consume store
        try location.expectHit(location.store())
    }

    private static func isOff(_ lookup: CacheLookup) -> Bool {
        if case .miss(.off(.forked)) = lookup { true } else { false }
    }

    /// Forks a child that exits with 0 if a closure returns true.
    private static func fork(_ body: () -> Bool) -> pid_t {
        let child = Foundation.fork()
        if child == 0 { _exit(body() ? 0 : 1) }
        return child
    }

    private static func fork(executing words: [String]) -> pid_t {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        guard let executable = arguments[0] else { return -1 }
        let child = Foundation.fork()
        if child == 0 {
            execv(executable, &arguments)
            _exit(127)
        }
        return child
    }

    /// Returns the exit status of a child.
    private static func end(of child: pid_t) throws -> Int32 {
        guard child > 0 else { throw FaultFinding("cannot fork: \(String(cString: strerror(errno)))") }
        var status: Int32 = 0
        for _ in 0..<3_000 {
            if waitpid(child, &status, WNOHANG) == child { return status }
            usleep(10_000)
        }
        throw FaultFinding("a forked child does not end")
    }
}

/// Threads that read and write a cache until they are stopped.
private final class Traffic: Sendable {
    private let mustStop = Atomic(false)
    private let hasStopped = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ location: CacheLocation, _ store: SectionCacheStore) {
        Thread { [self] in
            work { try location.expectHit(store) }
        }.start()
        let other = CacheSample(name: "traffic", number: location.sample.number)
        Thread { [self] in
            work {
                store.save(other.index, for: other.request)
                try other.check(store.lookUp(other.request), mustHit: false)
            }
        }.start()
    }

    private func work(_ body: () throws -> Void) {
        do {
            while !mustStop.load(ordering: .relaxed) { try body() }
        } catch {
            failure.withLock { $0 = error }
        }
        hasStopped.signal()
    }

    func stop() throws {
        mustStop.store(true, ordering: .relaxed)
        for _ in 0..<2 { hasStopped.wait() }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
