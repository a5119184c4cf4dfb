import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Entries forged by a program that may write the cache directory but does not have the store's key.
enum ForgedEntryFaults: IsolatedFaultProgram {
    static let name = "forged-entries"
    static let rows = ["A-36"]
    static let summary =
        "stores entries of other stores, names, requests, keys and states, and changes single bytes"
    static let releaseCount = 100_000
    static let trialsPerProcess = 1_000
    static let mutants: [Mutant] = [.authenticationSkipped, .authenticationWithoutName]

    /// The cache under test, and the values that a forger could store in it.
    struct Ground {
        let store: SectionCacheStore
        let stored: StoredValues
        let list: ListSample
        let sound: [StoredValues.Value]
        /// Whole entries that must not be accepted, with the reason that a look-up must give.
        let forgeries: [(words: String, values: [StoredValues.Value], isExpected: (MissReason) -> Bool)]
        /// The entry of an earlier state of the store.
        let earlier: [StoredValues.Value]
    }

    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> Ground {
        let list = ListSample(name: "a", number: 1, rowCount: 4_300, sectionCount: 6, using: &generator)
        let others = try CacheFolder(folder.appending(path: "others"), data: nil)
        let otherStore = others.store
        let otherValues = try StoredValues(of: others.url)
        func values(_ list: ListSample) throws -> [StoredValues.Value] {
            otherStore.deleteAllCaches()
            try list.save(in: otherStore)
            guard try list.answer(of: otherStore).isWhole else { throw FaultFinding("an entry is not saved") }
            return try otherValues.values(ofCache: list.sample.name.rawValue)
        }
        let sound = try values(list)
        // The key of a value: fingerprint (32 bytes), store (16 bytes), kind, number.
        func moved(_ values: [StoredValues.Value]) -> [StoredValues.Value] {
            values.map { (Array(sound[0].key[..<48]) + $0.key[48...], $0.value) }
        }
        func isForged(_ reason: MissReason) -> Bool { reason == .forged }
        var altered = list
        altered.change(using: &generator)
        let otherKey = try values(
            altered.with {
                $0.states = list.sample.states; $0.key = 77
            })
        let earlier = try values(list.with { $0.states["Artist"] = 200 })
        let cache = try CacheFolder(folder.appending(path: "caches"), data: nil)
        let store = cache.store
        try list.save(in: store)
        return Ground(
            store: store, stored: try StoredValues(of: cache.url), list: list, sound: sound,
            forgeries: [
                ("an entry under another key", try values(list.with { $0.key = 77 }), isForged),
                ("other rows under another key", otherKey, isForged),
                (
                    "an entry of another store",
                    moved(
                        try values(
                            list.with {
                                $0.storeIdentity = 9
                                $0.key = 9
                            })), isForged
                ),
                (
                    "an entry of a copy with another identity",
                    moved(try values(list.with { $0.storeIdentity = 9 })),
                    { $0 == .storeReplaced }
                ),
                ("an entry of another name", try values(list.with { $0.name = "b" }), isForged),
                (
                    "an entry of another request", moved(try values(list.with { $0.parts["sort"] = "none" })),
                    { if case .requestChanged = $0 { true } else { false } }
                ),
                ("an entry of an earlier state", earlier, { $0 == .dataChanged(dependencies: ["Artist"]) }),
                (
                    "an entry of another schema", try values(list.with { $0.schema = 200 }),
                    { $0 == .schemaChanged }
                ),
            ], earlier: earlier)
    }

    static func trial(
        _ number: Int, on ground: Ground, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let kind = number % (ground.forgeries.count + 4)
        if kind < ground.forgeries.count {
            let forgery = ground.forgeries[kind]
            // The name under test holds an entry that was made for something else.
            try ground.stored.replace(ofCache: "a", with: forgery.values)
            guard case .miss(let reason) = try ground.list.answer(of: ground.store) else {
                throw FaultFinding("\(forgery.words) is accepted")
            }
            guard forgery.isExpected(reason) else { throw FaultFinding("\(forgery.words): \(reason)") }
            return .missed
        }
        var values = ground.sound
        switch kind - ground.forgeries.count {
        case 0: damage(&values[0].value, using: &generator)
        case 1:
            let chunk = Int.random(in: 1..<values.count, using: &generator)
            damage(&values[chunk].value, using: &generator)
        case 2:
            // A directory value with all or some of the chunks of another save.
            for position in values.indices where Bool.random(using: &generator) {
                values[position].value = ground.earlier[position].value
            }
        default:
            // A chunk with the value of another chunk or of the directory.
            let first = Int.random(in: 1..<values.count, using: &generator)
            let second = Int.random(in: 0..<values.count, using: &generator)
            values[first].value = ground.sound[second].value
        }
        try ground.stored.replace(ofCache: "a", with: values)
        let answer = try ground.list.answer(of: ground.store)
        if case .miss(let reason) = answer {
            switch reason {
            case .corrupt, .forged, .formatMismatch, .dataChanged: break
            default: throw FaultFinding("a damaged entry is a miss because of “\(reason)”")
            }
        }
        return answer.isWhole ? .right : .missed
    }

    /// Flips some bits, truncates the value or extends it.
    private static func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
        case 1: bytes += generator.bytes(Int.random(in: 1...64, using: &generator))
        default:
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            }
        }
    }
}
