import Foundation
import SectionCaching
import Mutants

/// All slots of readers taken by processes that were killed.
enum FullReaderFaults: FaultProgram {
    static let name = "full-readers"
    static let rows = ["A-13"]
    static let summary = "kills processes that hold all 126 slots of readers, then looks up and saves"
    static let releaseCount = 50
    static let mutants: [Mutant] = [.deadReadersKept]
    static let huntCount = 1

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            let place = CacheLocation(run.folder.path + "/\(trial)", number: trial)
            try place.fill(place.store())
            // LMDB begins its table anew when nobody has the environment open.
            let keeper = try run.start(["keep"] + place.arguments)
            try keeper.wait(forLine: "kept")
            // Every other time the cache is open already, with some slots of its own.
            let open = trial % 2 == 1 ? place.store() : nil
            if let open { try place.expectHit(open) }
            var holders: [FaultChild] = []
            for share in trial % 3 == 2 ? [60, 126] : [126] {
                let holder = try run.start(["hold", place.path, "\(share)"])
                try holder.wait(forLine: "held")
                holders.append(holder)
            }
            for holder in holders {
                holder.send(SIGKILL)
                _ = try holder.wait(upTo: 30)
            }
            let store = open ?? place.store()
            try place.expectHit(store)
            let other = CacheSample(name: "another", number: trial + 1)
            store.save(other.index, for: other.request)
            guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
            try other.check(store.lookUp(other.request), mustHit: true)
            keeper.send(SIGKILL)
            _ = try keeper.wait(upTo: 30)
            run.note(.right)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let share = Int(arguments[2]) else { throw FaultFinding("\(arguments)") }
        guard arguments[0] == "hold" else {
            let place = try CacheLocation(arguments.dropFirst())
            let store = place.store()
            try place.expectHit(store)
            say("kept")
            withExtendedLifetime(store) { waitToBeKilled() }
        }
        let environment = try RawEnvironment(arguments[1])
        let count = try environment.takeSlots(atMost: share)
        guard count > 50 else { throw FaultFinding("only \(count) slots") }
        say("held")
        withExtendedLifetime(environment) { waitToBeKilled() }
    }
}
