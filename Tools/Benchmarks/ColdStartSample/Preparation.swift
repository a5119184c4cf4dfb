import CatalogueGenerator
import Foundation
import SectionedFetch

/// Creates the stores and files that the samples read.
enum Preparation {
    /// Creates a store of songs, with the index that a developer would give it.
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
                    .integer(Int64(song.durationInSeconds)), .real(Double(song.addedInSecondsSince2001)),
                    .integer(artist),
                ])
            }
        }
        try container.runMaintenance("CREATE INDEX song_by_section ON Song (section, title)")
    }

    /// Writes songs as CSV, and the same rows in binary for the C program: a kind and the bytes of each
    /// value, in the order of the CSV columns.
    static func writeRows(csv: String, binary: String, rows: Int) throws {
        let generator = CatalogueGenerator(try options(rows: rows, sections: 27))
        try generator.writeCSV(to: csv)
        var rows = ParsedRows()
        for song in generator {
            rows.append(song.key)
            rows.append(song.title)
            rows.append(song.artist)
            rows.append(song.album)
            rows.append(Int64(song.year))
            rows.append(song.genre)
            rows.append(song.section)
            rows.append(Int64(song.durationInSeconds))
            rows.append(Double(song.addedInSecondsSince2001))
        }
        try Data(rows.bytes).write(to: URL(filePath: binary))
    }

    /// Creates a database with a copy of a table and its indexes, without triggers and without rows.
    static func makePlainDatabase(_ path: String, likeTable table: String, of source: String) throws {
        var statements: [String] = []
        let original = try SQLiteDatabase(path: source)
        try original.forEachRow(
            of: """
                SELECT sql FROM sqlite_schema WHERE tbl_name = '\(table)' AND type IN ('table', 'index') \
                AND sql IS NOT NULL ORDER BY type DESC, rowid
                """
        ) { statements.append($0.text(0)) }
        guard !statements.isEmpty else { throw SampleError("“\(source)” has no table \(table)") }
        let copy = try SQLiteDatabase(path: path, mayCreate: true)
        try copy.run("PRAGMA journal_mode = WAL")
        for statement in statements { try copy.run(statement) }
    }

    private static func options(rows: Int, sections: Int) throws -> CatalogueOptions {
        try CatalogueOptions(
            numberOfSongs: rows, sections: sections == 27 ? .firstLetters : .shelves(sections))
    }
}

/// Rows in the format of the C program.
private struct ParsedRows {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: Int64) {
        bytes.append(1)
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ number: Double) {
        bytes.append(2)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        bytes.append(3)
        withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: text.utf8)
    }
}
