import CatalogueGenerator
import Foundation
import GRDB
import SectionedFetch

/// Makes the stores and files that the samples read.
enum Preparation {
    /// Makes a store of songs, with the index that a developer would give it.
    static func makeStore(_ path: String, rows: Int, sections: Int) throws {
        let container = try PersistentContainer(url: URL(filePath: path), model: .songs())
        let generator = CatalogueGenerator(try options(rows: rows, sections: sections))
        try container.write { writer in
            let songs = try writer.table("Song")
            let performers = try writer.table("Performer")
            var keys: [String: Int64] = [:]
            for song in generator {
                let artist: Int64
                if let known = keys[song.artist] {
                    artist = known
                } else {
                    artist = try performers.insert([.text(song.artist)])
                    keys[song.artist] = artist
                }
                _ = try songs.insert([
                    .text(song.title), .text(song.section), .integer(Int64(song.year)), .text(song.genre),
                    .integer(Int64(song.durationInSeconds)), .integer(artist),
                ])
            }
        }
        try container.runMaintenance("CREATE INDEX song_by_section ON Song (section, title)")
    }

    /// Writes the songs as CSV, and the same rows in binary for the C program: for each value a kind and its bytes.
    static func writeRows(csv: String, binary: String, rows: Int) throws {
        let generator = CatalogueGenerator(try options(rows: rows, sections: 27))
        try generator.writeCSV(to: csv)
        var bytes: [UInt8] = []
        func append(_ text: String) {
            bytes.append(3)
            withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: text.utf8)
        }
        func append(_ number: Int64) {
            bytes.append(1)
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        for song in generator {
            append(song.key)
            append(song.title)
            append(song.artist)
            append(song.album)
            append(Int64(song.year))
            append(song.genre)
            append(song.section)
            append(Int64(song.durationInSeconds))
            bytes.append(2)
            withUnsafeBytes(of: Double(song.addedInSecondsSince2001).bitPattern.littleEndian) {
                bytes.append(contentsOf: $0)
            }
        }
        try Data(bytes).write(to: URL(filePath: binary))
    }

    /// Makes a database that is no store, for the C program.
    static func makePlainDatabase(_ path: String, sql: String) throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    private static func options(rows: Int, sections: Int) throws -> CatalogueOptions {
        try CatalogueOptions(
            numberOfSongs: rows, sections: sections == 27 ? .firstLetters : .shelves(sections))
    }
}
