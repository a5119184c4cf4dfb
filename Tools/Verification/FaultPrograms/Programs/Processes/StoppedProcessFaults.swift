import Foundation
import LMDB
import SectionCaching
import Mutants
import CheckSupport

/// Processes that are stopped while they hold a lock. Users of the cache must never wait for them.
enum StoppedProcessFaults: FaultProgram {
    static let name = "stopped-process"
    static let rows = ["A-32"]
    static let summary =
        "stops processes that write, open, or are in the reader table, and uses the cache meanwhile"
    static let releaseCount = 50
    static let mutants: [Mutant] = [.unboundedWait]
    static let huntCount = 1

    /// The limit in seconds. The rule is a quarter of a second, but the system may delay any process.
    private static let limit = 1.0

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            for hold in ["write", "open", "table", "anywhere"] {
                let location = CacheLocation(run.folder.path + "/\(trial)-\(hold)", number: trial)
                try location.fill(location.store())
                let opened = location.store()
                try location.expectHit(opened)
                let fresh = CacheLocation(run.folder.path + "/\(trial)-\(hold)-fresh", number: trial)
                try fresh.fill(fresh.store())
                let holders = try [location, fresh].map { try run.start([hold] + $0.arguments) }
                for holder in holders { try holder.wait(forLine: "held") }
                if hold == "anywhere" { usleep(UInt32.random(in: 0..<20_000, using: &generator)) }
                for holder in holders { holder.send(SIGSTOP) }
                // An open cache must still answer. One that would have to be opened may be off.
                try use(location, opened, mustHit: true, hold)
                try use(fresh, fresh.store(), mustHit: hold == "write", hold)
                for holder in holders {
                    holder.send(SIGKILL)
                    _ = try holder.wait(upTo: 30)
                }
                for location in [location, fresh] { try location.fill(location.store()) }
            }
            run.note(.right)
            run.note(.off)
        }
    }

    /// Uses a cache in every way, with a time limit for each step.
    private static func use(
        _ location: CacheLocation, _ store: consuming SectionCacheStore, mustHit: Bool, _ hold: String
    ) throws {
        let lookUp = { @Sendable [store] in store.lookUp(location.sample.request) }
        let found = try within(limit, "a look-up beside “\(hold)”", lookUp)
        try location.sample.check(found, mustHit: mustHit)
        try within(limit, "many look-ups beside “\(hold)”") {
            for _ in 0..<20 { _ = lookUp() }
        }
        try within(limit, "a save and a deletion beside “\(hold)”") { [store] in
            store.save(location.sample.index, for: location.sample.request)
            store.deleteCache(named: "another")
        }
        _ = try within(limit, "waiting for a twentieth of a second beside “\(hold)”") { [store] in
            store.waitForWrites(upTo: 0.05)
        }
        _ = consume store
        try within(limit, "a second store beside “\(hold)”") {
            _ = location.store().lookUp(location.sample.request)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        let location = try CacheLocation(arguments.dropFirst())
        switch arguments.first {
        case "write":
            let environment = try RawEnvironment(location.path)
            try environment.beginWriting()
            say("held")
            withExtendedLifetime(environment) { waitToBeKilled() }
        case "open":
            // The lock that liblmdb takes while it opens the environment.
            let descriptor = open(location.path + "/lock.mdb", O_RDWR | O_CLOEXEC)
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_len = 1
            // fcntl waits while another process has the environment open.
            say("held")
            guard fcntl(descriptor, F_SETLKW, &lock) == 0 else { throw FaultFinding("cannot lock") }
            waitToBeKilled()
        case "table":
            let file = try LockableFile(name: location.path + "/guard.lock")
            while try !file.tryLock(1 << 40) { usleep(10) }
            say("held")
            waitToBeKilled()
        default:
            say("held")
            while true {
                try location.sample.check(location.store().lookUp(location.sample.request), mustHit: false)
            }
        }
    }
}
