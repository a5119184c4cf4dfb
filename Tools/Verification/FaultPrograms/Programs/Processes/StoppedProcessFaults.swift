import Foundation
import LMDB
import SectionCaching
import Mutants
import CheckSupport

/// Processes that were stopped while they held a lock. Whoever uses the cache never waits for them.
enum StoppedProcessFaults: FaultProgram {
    static let name = "stopped-process"
    static let rows = ["A-32"]
    static let summary =
        "stops processes that write, open, or are in the table of readers, and uses the cache meanwhile"
    static let releaseCount = 50
    static let mutants: [Mutant] = [.unboundedWait]
    static let huntCount = 1

    /// What hangs takes longer. The rule is a quarter of a second; the system may let a process wait itself.
    private static let limit = 1.0

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            for hold in ["write", "open", "table", "anywhere"] {
                let place = CacheLocation(run.folder.path + "/\(trial)-\(hold)", number: trial)
                try place.fill(place.store())
                let opened = place.store()
                try place.expectHit(opened)
                let fresh = CacheLocation(run.folder.path + "/\(trial)-\(hold)-fresh", number: trial)
                try fresh.fill(fresh.store())
                let holders = try [place, fresh].map { try run.start([hold] + $0.arguments) }
                for holder in holders { try holder.wait(forLine: "held") }
                if hold == "anywhere" { usleep(UInt32.random(in: 0..<20_000, using: &generator)) }
                for holder in holders { holder.send(SIGSTOP) }
                // What is open goes on to answer; whoever would have to open it may do without.
                try use(place, opened, mustHit: true, hold)
                try use(fresh, fresh.store(), mustHit: hold == "write", hold)
                for holder in holders {
                    holder.send(SIGKILL)
                    _ = try holder.wait(upTo: 30)
                }
                for place in [place, fresh] { try place.fill(place.store()) }
            }
            run.note(.right)
            run.note(.off)
        }
    }

    /// Everything that a program does with a cache, and no step takes long.
    private static func use(
        _ place: CacheLocation, _ store: consuming SectionCacheStore, mustHit: Bool, _ hold: String
    ) throws {
        let lookUp = { @Sendable [store] in store.lookUp(place.sample.request) }
        let found = try within(limit, "a look-up beside “\(hold)”", lookUp)
        try place.sample.check(found, mustHit: mustHit)
        try within(limit, "many look-ups beside “\(hold)”") {
            for _ in 0..<20 { _ = lookUp() }
        }
        try within(limit, "a save and a deletion beside “\(hold)”") { [store] in
            store.save(place.sample.index, for: place.sample.request)
            store.deleteCache(named: "another")
        }
        _ = try within(limit, "waiting for a twentieth of a second beside “\(hold)”") { [store] in
            store.waitForSaves(upTo: 0.05)
        }
        _ = consume store
        try within(limit, "a second store beside “\(hold)”") {
            _ = place.store().lookUp(place.sample.request)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        let place = try CacheLocation(arguments.dropFirst())
        switch arguments.first {
        case "write":
            let environment = try RawEnvironment(place.path)
            try environment.beginWriting()
            say("held")
            withExtendedLifetime(environment) { waitToBeKilled() }
        case "open":
            // As liblmdb does while it opens the environment.
            let descriptor = open(place.path + "/lock.mdb", O_RDWR | O_CLOEXEC)
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_len = 1
            // Where others have it open, it waits for them.
            say("held")
            guard fcntl(descriptor, F_SETLKW, &lock) == 0 else { throw FaultFinding("no lock") }
            waitToBeKilled()
        case "table":
            let file = try LockableFile(name: place.path + "/guard.lock")
            while try !file.tryLock(1 << 40) { usleep(10) }
            say("held")
            waitToBeKilled()
        default:
            say("held")
            while true { try place.sample.check(place.store().lookUp(place.sample.request), mustHit: false) }
        }
    }
}
