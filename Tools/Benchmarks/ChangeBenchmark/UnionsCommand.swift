import ArgumentParser
import BenchmarkSupport
import Foundation
import SectionedFetch

/// `change-benchmark unions`: compares following a list of several entities with following a list of one
/// entity.
struct UnionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unions",
        abstract:
            "Measures following changes in a list of three entities, and in a list of one entity with as many rows."
    )

    @Option(help: "The number of rows of each list.")
    var rows = 300_000

    @Option(help: "The number of saves for each number of changed rows.")
    var saves = 20

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    private static let entityNames = ["Song", "Podcast", "Audiobook"]

    func run() throws {
        let folder = try WorkFolder(path: nil, isKept: false, name: "unions")
        defer { folder.removeIfTemporary() }
        Progress.note("Creating a store of \(rows) rows in one table, and as many in three …")
        let container = try PersistentContainer(
            url: folder.url.appending(path: "media.store"), model: Self.model())
        try container.write { writer in
            for (name, share) in Self.entityNames.map({ ($0, rows / 3) }) + [("Record", rows)] {
                let table = try writer.table(name)
                for number in 0..<share {
                    _ = try table.insert([.text("\(number * 7_919 % share) \(name)")])
                }
            }
        }
        let caches = SectionCacheStore(directory: folder.url.appending(path: "caches"))
        let one = try measure(["Record"], container, caches)
        let three = try measure(Self.entityNames, container, caches)
        var found: [Ratio] = []
        for ((name, first), (_, second)) in zip(one, three) {
            print("\(name): \(first.threeDigits) ms for one entity, \(second.threeDigits) ms for three")
            found.append(Ratio("unions.\(name).three-to-one", second, by: first))
        }
        if let ratios { try Ratio.write(found, to: ratios) }
    }

    /// Measures one list.
    ///
    /// - Returns: The milliseconds of fetching it, of a start with its cache entry, and of following saves of
    ///   one and of a thousand rows.
    private func measure(
        _ entityNames: [String], _ container: PersistentContainer, _ caches: SectionCacheStore
    ) throws -> [(name: String, milliseconds: Double)] {
        let (context, alone) = (container.newContext(), container.newContext())
        func controller(_ context: ManagedObjectContext) throws -> FetchedResultsController<ManagedObject> {
            try FetchedResultsController(
                fetchRequest: FetchRequest(entityNames: entityNames, sortDescriptors: [.ascending("title")]),
                context: context, sectionNameKeyPath: .firstLetter(of: "title"), cacheName: "media",
                cacheStore: caches)
        }
        func time(_ body: () throws -> Void) throws -> Double {
            let start = ContinuousClock.now
            try body()
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        let listener = CountingListener()
        let followed = try controller(context)
        followed.delegate = listener
        let fetch = try time { try followed.performFetch() }
        caches.waitForWrites()
        var starts: [Double] = []
        for _ in 0..<saves {
            let start = try controller(container.newContext())
            starts.append(try time { try start.performFetch() })
            guard start.cacheLookup?.isHit == true else { throw SampleError("a start is a miss") }
        }
        var times = [(name: "fetch", milliseconds: fetch), ("start", Spread(starts).median)]
        for count in [1, 1_000] {
            let saves = try FollowedSaves(saves, of: context, besides: alone) { round, writer in
                for number in 0..<count {
                    let name = entityNames[number % entityNames.count]
                    let key = (round * 7_919 + number * 977) % (rows / entityNames.count) + 1
                    let object = try writer.existingObject(
                        with: ObjectID(entityName: name, primaryKey: Int64(key)))
                    let title = "\((key * 31 + round) % 1_000) \(writer === context ? "mine" : "theirs")"
                    try object.setValue(.text(title), forProperty: "title")
                }
            }
            times.append((count == 1 ? "row" : "rows", saves.followed.median))
        }
        let fetched = try container.newContext().fetch(followed.fetchRequest).map(\.objectID)
        guard followed.fetchedObjects?.map(\.objectID) == fetched, listener.changes >= 2 * saves else {
            throw SampleError("the list differs from a fetched one")
        }
        return times
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: (entityNames + ["Record"]).map { name in
                EntityDescription(
                    name: name,
                    attributes: [AttributeDescription(name: "title", type: .string, isIndexed: true)])
            })
    }
}
