import Foundation
import LMDB
import SectionCaching

/// A directory of caches of one trial, and a sample that is to be in it.
struct CacheLocation {
    let path: String
    let sample: CacheSample

    init(_ path: String, number: Int) {
        self.path = path
        sample = CacheSample(name: "place", number: number)
    }

    /// The place that a process was told of by its arguments.
    init(_ arguments: ArraySlice<String>) throws {
        guard let path = arguments.first, let number = arguments.dropFirst().first.flatMap({ Int($0) }) else {
            throw FaultFinding("a process was told of no place: \(arguments)")
        }
        self.init(path, number: number)
    }

    /// What to tell a process of this place.
    var arguments: [String] { [path, "\(sample.number)"] }

    func store() -> SectionCacheStore { SectionCacheStore(directory: URL(filePath: path)) }

    /// Saves the sample and finds it.
    func fill(_ store: SectionCacheStore) throws {
        store.save(sample.index, for: sample.request)
        guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        try expectHit(store)
    }

    /// Finds the sample.
    func expectHit(_ store: SectionCacheStore) throws {
        let lookup = store.lookUp(sample.request)
        guard lookup.isHit else {
            throw FaultFinding("expected a hit, found \(lookup); before: \(problem(of: store))")
        }
        try sample.check(lookup, mustHit: true)
    }

    /// Finds the cache off for a reason.
    func expectOff(_ reason: OffReason, _ store: SectionCacheStore) throws {
        let lookup = store.lookUp(sample.request)
        guard case .miss(.off(reason)) = lookup else {
            throw FaultFinding("expected “\(reason)”, found \(lookup)")
        }
    }

    /// Looks up in a process of its own and prints what came of it: what ``expectInChild(_:_:launcher:)``
    /// starts.
    func runLook() throws {
        let lookup = store().lookUp(sample.request)
        try sample.check(lookup, mustHit: false)
        print(lookup)
    }

    /// Lets another process look up, and compares what it finds.
    func expectInChild(
        _ expected: CacheLookupKind, _ run: FaultRun, launcher: [String] = []
    ) throws {
        let end = try run.child(["look"] + arguments, launcher: launcher)
        guard end.status == 0, end.output == expected.line + "\n" else {
            throw FaultFinding("expected “\(expected.line)” in another process, found \(end)")
        }
    }

    func problem(of store: SectionCacheStore) -> String {
        store.lastProblem.map { "\($0)" } ?? "no problem"
    }
}

/// What another process has to find.
enum CacheLookupKind {
    case hit
    case off(OffReason)

    var line: String {
        switch self {
        case .hit: "hit"
        case .off(let reason): "\(CacheLookup.miss(.off(reason)))"
        }
    }
}

/// Prints a line that another process waits for.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Waits to be killed.
func waitToBeKilled() -> Never { while true { pause() } }
