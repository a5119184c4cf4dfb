import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// Pairs of requests. Requests that differ in one step of one field must have different fingerprints, and
/// equal ones equal fingerprints, in every process.
enum RequestFaults: FaultProgram {
    static let name = "request-variation"
    static let rows = ["A-25"]
    static let summary =
        "changes one field of a request by one step, and compares the fingerprints of the two"
    static let releaseCount = 100_000
    static let mutants: [Mutant] = [
        .predicateLeftOut, .sortDirectionLeftOut, .combinedFingerprint, .timeZoneLeftOut,
    ]

    static func run(_ run: inout FaultRun) throws {
        let container = try container()
        let caches = SectionCacheStore(directory: run.folder.appending(path: "caches"))
        var fingerprints: [RequestFingerprint: RequestRecipe] = [:]
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let first = RequestRecipe(using: &generator)
            var second = first
            while second == first { second.mutate(using: &generator) }
            for recipe in [first, second] {
                let fingerprint = try controller(recipe, container, caches).fingerprint
                if let other = fingerprints.updateValue(recipe, forKey: fingerprint), other != recipe {
                    throw FaultFinding("two requests have the same fingerprint: \(recipe) and \(other)")
                }
                let again = try controller(recipe, container, caches).fingerprint
                guard again == fingerprint else {
                    throw FaultFinding("one request has two fingerprints: \(recipe)")
                }
            }
            if trial % 50 == 0 { try keep(first, butNot: second, container, caches) }
            run.note(.right)
        }
        // A fingerprint does not depend on the process.
        let sample = fingerprints.min { $0.key.description < $1.key.description }
        if let sample {
            let other = try run.child(["\(run.seed)", "\(run.count)"])
            guard other.status == 0, other.output.contains(sample.key.description) else {
                throw FaultFinding(
                    "in another process the fingerprint of \(sample.value) is missing: \(other.output)")
            }
        }
    }

    /// Prints the least fingerprint of a run.
    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 2, let seed = UInt64(arguments[0]), let count = Int(arguments[1]) else {
            throw FaultFinding("a seed and a count are needed")
        }
        let container = try container()
        let folder = FileManager.default.temporaryDirectory
        let caches = SectionCacheStore(directory: folder.appending(path: "no-caches"))
        let run = FaultRun(of: Self.self, count: count, seed: seed, folder: folder)
        var least: String?
        for trial in 0..<count {
            var generator = run.generator(ofTrial: trial)
            let first = RequestRecipe(using: &generator)
            var second = first
            while second == first { second.mutate(using: &generator) }
            for recipe in [first, second] {
                let text = try controller(recipe, container, caches).fingerprint.description
                if least.map({ text < $0 }) ?? true { least = text }
            }
        }
        print(least ?? "")
    }

    /// Saves the results of one request to the cache. The other request must not find them under the same
    /// name.
    private static func keep(
        _ first: RequestRecipe, butNot second: RequestRecipe, _ container: PersistentContainer,
        _ caches: SectionCacheStore
    ) throws {
        let kept = try controller(first, container, caches)
        do throws(ObjectStorageError) {
            try kept.performFetch()
        } catch {
            guard error.code == .ungroupedSections else { throw error }
            return
        }
        guard caches.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
        guard try controller(first, container, caches).lookUpCache()?.isHit == true else {
            throw FaultFinding("the entry of a request is not found: \(first)")
        }
        guard try controller(second, container, caches).lookUpCache()?.isHit != true else {
            throw FaultFinding("\(second) finds the entry of \(first)")
        }
        caches.deleteCache(named: "requests")
    }

    private static func controller(
        _ recipe: RequestRecipe, _ container: PersistentContainer, _ caches: SectionCacheStore
    ) throws -> FetchedResultsController<ManagedObject> {
        try FetchedResultsController(
            fetchRequest: recipe.request(), context: container.newContext(),
            sectionNameKeyPath: recipe.sectionKey,
            cacheName: "requests", cacheStore: caches)
    }

    /// Returns an in-memory store of songs and singles.
    private static func container() throws -> PersistentContainer {
        let tables = SongTables.ours
        let entities = try tables.model().entities
        return try PersistentContainer(
            inMemoryWith: ManagedObjectModel(
                entities: entities + [EntityDescription(name: "Single", parentName: "Song", attributes: [])]))
    }
}
