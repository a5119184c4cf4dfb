import Foundation
import SectionCaching
import Mutants

/// Reader tables whose slots all belong to killed processes.
enum FullReaderFaults: FaultProgram {
    static let name = "full-readers"
    static let rows = ["A-13"]
    static let summary = "kills processes that hold all 126 reader slots, then looks up and saves"
    static let releaseCount = 50
    static let mutants: [Mutant] = [.deadReadersKept]
    static let huntCount = 1

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            let location = CacheLocation(run.folder.path + "/\(trial)", number: trial)
            try location.fill(location.store())
            // LMDB clears its reader table when no process has the environment open.
            let keeper = try run.start(["keep"] + location.arguments)
            try keeper.wait(forLine: "kept")
            // In every second trial the cache is open already, and holds slots.
            let open = trial % 2 == 1 ? location.store() : nil
            if let open { try location.expectHit(open) }
            var holders: [FaultChild] = []
            for share in trial % 3 == 2 ? [60, 126] : [126] {
                let holder = try run.start(["hold", location.path, "\(share)"])
                try holder.wait(forLine: "held")
                holders.append(holder)
            }
            for holder in holders {
                holder.send(SIGKILL)
                _ = try holder.wait(upTo: 30)
            }
            let store = open ?? location.store()
            try location.expectHit(store)
            let other = CacheSample(name: "another", number: trial + 1)
            store.save(other.index, for: other.request)
            guard store.waitForWrites(upTo: 30) else {
                throw FaultFinding("a save to the cache does not end")
            }
            try other.check(store.lookUp(other.request), mustHit: true)
            keeper.send(SIGKILL)
            _ = try keeper.wait(upTo: 30)
            run.note(.right)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let share = Int(arguments[2]) else { throw FaultFinding("\(arguments)") }
        guard arguments[0] == "hold" else {
            let location = try CacheLocation(arguments.dropFirst())
            let store = location.store()
            try location.expectHit(store)
            say("kept")
            withExtendedLifetime(store) { waitToBeKilled() }
        }
        let environment = try RawEnvironment(arguments[1])
        let count = try environment.takeSlots(atMost: share)
        guard count > 50 else { throw FaultFinding("only \(count) reader slots were free") }
        say("held")
        withExtendedLifetime(environment) { waitToBeKilled() }
    }
}
