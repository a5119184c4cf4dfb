import ArgumentParser
import BenchmarkSupport
import Foundation
import SectionedFetch

/// `change-benchmark collections`: measures following changes of lists whose predicates read to-many
/// relationships.
struct CollectionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections",
        abstract:
            "Measures following changes of lists by their related objects: saves with a controller, above saves without one."
    )

    @Option(help: "The number of artists in the table of the list. Each has ten albums.")
    var artists = 100_000

    @Option(help: "The number of saves of each number of albums.")
    var saves = 20

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    private static let albumsPerArtist = 10

    /// The predicates, with the words for the ratios.
    private static let predicates = [
        (name: "any", format: "ANY albums.year > 2000"), (name: "count", format: "albums.@count > 9"),
    ]

    func run() throws {
        let folder = try WorkFolder(path: nil, isKept: false, name: "collections")
        defer { folder.removeIfTemporary() }
        let store = folder.url.appending(path: "albums.store")
        Progress.note("Creating a store of \(artists) artists with \(Self.albumsPerArtist) albums each …")
        let container = try PersistentContainer(url: store, model: Self.model())
        try container.write { writer in
            let table = try writer.table("Artist")
            for number in 0..<artists { _ = try table.insert([.text("Artist \(number)")]) }
            let albums = try writer.table("Album")
            for number in 0..<artists * Self.albumsPerArtist {
                let year = 1_950 + number * 7_919 % 60
                _ = try albums.insert([
                    .integer(Int64(year)), .integer(Int64(number / Self.albumsPerArtist + 1)),
                ])
            }
        }
        let measured = try Self.predicates.flatMap { try measure($0.name, $0.format, container) }
        if let ratios { try Ratio.write(measured, to: ratios) }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
                relationships: [.toMany("albums", to: "Album", inverse: "artist")]),
            EntityDescription(
                name: "Album", attributes: [AttributeDescription(name: "year", type: .integer32)],
                relationships: [.toOne("artist", to: "Artist", inverse: "albums")]),
        ])
    }

    /// Measures the changes of one list: each album gets another year and another artist.
    ///
    /// - Returns: The ratios of saves with a controller to saves without one.
    private func measure(
        _ name: String, _ format: String, _ container: PersistentContainer
    ) throws -> [Ratio] {
        let request = FetchRequest<ManagedObject>(
            entityName: "Artist", predicate: try FetchRequest<ManagedObject>.Predicate(format: format),
            sortDescriptors: [.ascending("name")])
        let (context, alone) = (container.newContext(), container.newContext())
        let listener = CountingListener()
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: nil as SectionKey?)
        controller.delegate = listener
        let fetchStart = ContinuousClock.now
        try controller.performFetch()
        let fetch = (ContinuousClock.now - fetchStart) / .milliseconds(1)
        let albums = artists * Self.albumsPerArtist
        var found: [Ratio] = []
        for count in [1, 1_000] {
            let times = try FollowedSaves(saves, of: context, besides: alone) { round, writer in
                for number in 0..<count {
                    let position = (round * 7_919 + number * 977) % albums
                    let album = try writer.existingObject(
                        with: ObjectID(entityName: "Album", primaryKey: Int64(position + 1)))
                    try album.setValue(
                        .integer(Int64(1_950 + (position + round) % 60)), forProperty: "year")
                    let artist = (position + round * 31 + (writer === context ? 0 : 7)) % artists + 1
                    try album.setRelatedObject(
                        writer.object(with: ObjectID(entityName: "Artist", primaryKey: Int64(artist))),
                        forRelationship: "artist")
                }
            }
            found.append(
                Ratio(
                    "collections.\(name).\(count == 1 ? "row" : "rows")-to-save", times.followed.median,
                    by: times.bare.median))
            print(
                "\(format), \(count) albums changed: \(times.above.threeDigits) ms above a save without a controller (\(times.bare.median.threeDigits) ms); the list is fetched in \(fetch.threeDigits) ms; \(listener.changes) changes reported"
            )
        }
        let fetched = try container.newContext().fetch(request).map(\.objectID)
        guard controller.fetchedObjects?.map(\.objectID) == fetched else {
            throw SampleError("the list differs from a fetched one")
        }
        return found
    }
}
