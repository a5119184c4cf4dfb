import Foundation
import LMDB
import SectionCaching

/// A cache directory of one trial, and the sample to store in it.
struct CacheLocation {
    let path: String
    let sample: CacheSample

    init(_ path: String, number: Int) {
        self.path = path
        sample = CacheSample(name: "place", number: number)
    }

    /// Creates the location that the arguments of a process describe.
    init(_ arguments: ArraySlice<String>) throws {
        guard let path = arguments.first, let number = arguments.dropFirst().first.flatMap({ Int($0) }) else {
            throw FaultFinding("a process got no location: \(arguments)")
        }
        self.init(path, number: number)
    }

    /// The arguments that pass this location to a process.
    var arguments: [String] { [path, "\(sample.number)"] }

    func store() -> SectionCacheStore { SectionCacheStore(directory: URL(filePath: path)) }

    /// Saves the sample and checks that it is found.
    func fill(_ store: SectionCacheStore) throws {
        store.save(sample.index, for: sample.request)
        guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
        try expectHit(store)
    }

    /// Checks that a look-up finds the sample.
    func expectHit(_ store: SectionCacheStore) throws {
        let lookup = store.lookUp(sample.request)
        guard lookup.isHit else {
            throw FaultFinding("expected a hit, found \(lookup); before: \(problem(of: store))")
        }
        try sample.check(lookup, mustHit: true)
    }

    /// Checks that the cache is off for a certain reason.
    func expectOff(_ reason: OffReason, _ store: SectionCacheStore) throws {
        let lookup = store.lookUp(sample.request)
        guard case .miss(.off(reason)) = lookup else {
            throw FaultFinding("expected “\(reason)”, found \(lookup)")
        }
    }

    /// Prints the result of a look-up, in the process that ``expectInChild(_:_:launcher:)`` starts.
    func runLook() throws {
        let lookup = store().lookUp(sample.request)
        try sample.check(lookup, mustHit: false)
        print(lookup)
    }

    /// Looks up in another process, and compares the result.
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

/// The result that another process must get.
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

/// Prints a line for which another process waits.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Waits until the process is killed.
func waitToBeKilled() -> Never { while true { pause() } }
