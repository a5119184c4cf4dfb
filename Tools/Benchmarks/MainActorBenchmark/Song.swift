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
    static func write(_ count: Int, seed: UInt64, to container: PersistentContainer) throws {
        var rows = CatalogueGenerator(try CatalogueOptions(numberOfSongs: count, seed: seed)).makeIterator()
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

    private static let batchSize = 10_000
}
