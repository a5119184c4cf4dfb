import CatalogueGenerator
import Foundation
import SectionedFetch

/// The songs of the list.
final class Song: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var section: String = ""
    @Attribute var year: Int32 = 0
    @Attribute var artist: String = ""

    static func container(_ path: String) throws -> PersistentContainer {
        try PersistentContainer(url: URL(filePath: path), model: ManagedObjectModel(types: Song.self))
    }

    /// Writes songs in transactions of ten thousand rows, as an import does.
    static func write(_ count: Int, to container: PersistentContainer) throws {
        var rows = CatalogueGenerator(try CatalogueOptions(numberOfSongs: count)).makeIterator()
        var isAtEnd = false
        while !isAtEnd {
            try container.write { writer in
                let songs = try writer.table("Song", expectedRows: batchSize)
                for _ in 0..<batchSize {
                    guard let song = rows.next() else {
                        isAtEnd = true
                        return
                    }
                    _ = try songs.insert([
                        .text(song.title), .text(song.section), .integer(Int64(song.year)),
                        .text(song.artist),
                    ])
                }
            }
        }
    }

    /// Changes the titles of scattered songs, in commits that a list follows row by row.
    static func change(_ count: Int, times: Int, in container: PersistentContainer) throws {
        let context = container.newContext()
        let total = try context.count(for: FetchRequest<Song>())
        for round in 0..<times {
            for number in 0..<count {
                let key = Int64((round * 7_919 + number * 977) % total + 1)
                let song = try context.existingObject(with: ObjectID(entityName: "Song", primaryKey: key))
                if let song = song as? Song { song.title = String(song.title.reversed()) }
            }
            try context.save()
            usleep(microsecondsBetweenCommits)
        }
    }

    private static let microsecondsBetweenCommits: UInt32 = 100_000
    private static let batchSize = 10_000
}
