import CatalogueGenerator
import CheckSupport
import Foundation
import Testing

@Suite struct CatalogueFileTests {
    @Test(.enabled(if: Python.path != nil, "python3 is not installed, so no second CSV reader is available"))
    func `another CSV reader reads the same songs`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appendingPathComponent("songs.csv")
        let generator = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 30_000, seed: 13))
        try generator.writeCSV(to: file.path)
        let program = """
            import csv, json, sys
            with open(sys.argv[1], encoding="utf-8", newline="") as file:
                for row in csv.reader(file, strict=True):
                    print(json.dumps(row))
            """
        let lines = try Python.output(of: program, [file.path]).split(separator: UInt8(ascii: "\n"))
        var rows = try lines.map { try JSONDecoder().decode([String].self, from: Data($0)) }
        #expect(rows.removeFirst() == CatalogueGenerator.columnNames)
        try #require(rows.count == 30_000)
        for (song, row) in zip(generator, rows) {
            #expect(
                row == [
                    String(song.key), song.title, song.artist, song.album, String(song.year), song.genre,
                    song.section, String(song.durationInSeconds), song.addedText,
                ])
        }
        #expect(rows.contains { $0[1].contains("\"") } && rows.contains { $0[1].contains(",") })
    }

    @Test func `a directory instead of the file is an error that names it`() throws {
        let directory = try TemporaryDirectory()
        let generator = CatalogueGenerator(try CatalogueOptions(numberOfSongs: 1))
        let error = #expect(throws: CatalogueFileError.self) {
            try generator.writeCSV(to: directory.url.path)
        }
        #expect(error?.systemErrorCode == EISDIR)
        #expect(error?.description.contains(directory.url.path) == true)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "/dev/full does not exist"))
    func `a full disk is an error for a catalogue of any size`() throws {
        for numberOfSongs in [1, 10_000] {
            let generator = CatalogueGenerator(try CatalogueOptions(numberOfSongs: numberOfSongs))
            let error = #expect(throws: CatalogueFileError.self) { try generator.writeCSV(to: "/dev/full") }
            #expect(error?.systemErrorCode == ENOSPC)
        }
    }
}
