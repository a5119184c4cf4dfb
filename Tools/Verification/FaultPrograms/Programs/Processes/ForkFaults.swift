import Foundation
import SectionCaching
import Mutants
import Synchronization

/// Processes that are forked while their parent's threads read and write caches.
enum ForkFaults: FaultProgram {
    static let name = "fork"
    static let rows = ["A-16"]
    static let summary = "forks, with and without exec, in the middle of reads and writes"
    static let releaseCount = 500
    static let mutants: [Mutant] = [.noProcessCheck]
    static let huntCount = 2

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            let place = CacheLocation(run.folder.path + "/\(trial)", number: trial)
            let store = place.store()
            try place.fill(store)
            let traffic = Traffic(place, store)
            // What children use is made before: after fork only one thread is left, and others may have held
            // the locks of the runtime.
            let fresh = place.store()
            let request = place.sample.request
            let index = place.sample.index
            let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
            let children = [
                fork { isOff(store.lookUp(request)) },
                fork { isOff(fresh.lookUp(request)) },
                fork {
                    store.save(index, for: request)
                    store.deleteCache(named: request.name)
                    return !store.waitForSaves(upTo: 60)
                },
                fork { true },
                fork(executing: [executable, "child", name, "look"] + place.arguments),
                // One that outlives its parent's use of the cache.
                fork { waitToBeKilled() },
            ]
            defer { for child in children { kill(child, SIGKILL) } }
            for (number, child) in children.dropLast().enumerated() {
                let status = try end(of: child)
                guard status == 0 else { throw FaultFinding("forked child \(number) ended with \(status)") }
            }
            try traffic.stop()
            try place.fill(store)
            run.note(.off)
            guard let survivor = children.last else { continue }
            try expectReopened(place, store)
            kill(survivor, SIGKILL)
            _ = try end(of: survivor)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        let place = try CacheLocation(arguments.dropFirst())
        for number in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
            if let target, target.hasPrefix(place.path) { throw FaultFinding("\(target) was inherited") }
        }
        try place.sample.check(place.store().lookUp(place.sample.request), mustHit: false)
    }

    /// What a child has open does not keep its parent from opening the cache again.
    private static func expectReopened(_ place: CacheLocation, _ store: consuming SectionCacheStore) throws {
        _ = consume store
        try place.expectHit(place.store())
    }

    private static func isOff(_ lookup: CacheLookup) -> Bool {
        if case .miss(.off(.forked)) = lookup { true } else { false }
    }

    /// Forks a child that ends with 0 if a closure says that all is right.
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

    /// The status with which a child ended.
    private static func end(of child: pid_t) throws -> Int32 {
        guard child > 0 else { throw FaultFinding("no child: \(String(cString: strerror(errno)))") }
        var status: Int32 = 0
        for _ in 0..<3_000 {
            if waitpid(child, &status, WNOHANG) == child { return status }
            usleep(10_000)
        }
        throw FaultFinding("a forked child does not end")
    }
}

/// Threads that read and write a cache for as long as they are wanted.
private final class Traffic: Sendable {
    private let mustStop = Atomic(false)
    private let hasStopped = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ place: CacheLocation, _ store: SectionCacheStore) {
        Thread { [self] in
            work { try place.expectHit(store) }
        }.start()
        let other = CacheSample(name: "traffic", number: place.sample.number)
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
