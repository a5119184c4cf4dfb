import CatalogueGenerator
import Foundation
import SectionedFetch

/// Creates the stores that the samples change.
enum Preparation {
    /// Creates a store of songs with the indexes for a list's order.
    ///
    /// - Parameter batchSize: The number of rows on each shelf.
    static func makeStore(_ path: String, order: ListOrder, rows: Int, batchSize: Int) throws {
        let container = try PersistentContainer(url: URL(filePath: path), model: .songs())
        let shelves = Int64(ChangeMaker.numberOfShelves(rows: rows, count: batchSize))
        let options = try CatalogueOptions(numberOfSongs: rows, sections: .firstLetters)
        let generator = CatalogueGenerator(options)
        func insert(_ positions: Range<Int>) throws {
            try container.write { writer in
                let songs = try writer.table("Song")
                for position in positions {
                    let song = generator.song(at: position)
                    _ = try songs.insert([
                        .text(song.title), .text(song.section), .text(song.artist),
                        .integer(Int64(song.year)), .integer(0), .integer(song.key % shelves),
                    ])
                }
            }
        }
        try insert(0..<rows - 1)
        for statement in order.indexes { try container.runMaintenance(statement) }
        // A change of the schema ends the epoch of the change log; the next commit starts a new one.
        try insert(rows - 1..<rows)
    }

    /// Removes everything that this library added to a copy of a store, and keeps the table with its rows and
    /// indexes.
    static func makePlain(_ path: String) throws {
        let database = try SQLiteConnection(path: path)
        for kind in ["trigger", "table"] {
            let names = try database.texts(
                "SELECT name FROM sqlite_schema WHERE type = '\(kind)' AND name LIKE 'sc!_%' ESCAPE '!'")
            for name in names { try database.run("DROP \(kind) \"\(name)\"") }
        }
        let left = try database.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        guard left.isEmpty else { throw SampleError("the plain store has the trigger “\(left[0])”") }
    }
}

/// The error of a sample that failed.
struct SampleError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
