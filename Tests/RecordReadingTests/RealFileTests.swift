import Foundation
import RecordReading
import Testing

/// Published collections in the directory that `SECTIONED_FETCH_DATA` names, or in `shared/data` beside the
/// package. A test whose files are missing is skipped.
enum RealFile {
    static func path(_ name: String) -> String {
        if let directory = ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"] {
            return "\(directory)/\(name)"
        }
        var package = URL(filePath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appending(path: "shared/data/\(name)").path(
            percentEncoded: false)
    }

    static func isThere(_ names: String...) -> Bool {
        names.allSatisfy { FileManager.default.fileExists(atPath: path($0)) }
    }
}

@Suite struct RealFileTests {
    private func count(_ name: String, columns: Int, records: Int) throws {
        let reader = try openRecords(path: RealFile.path(name))
        #expect(reader.fieldNames.count == columns)
        var count = 0
        while try reader.next() { count += 1 }
        #expect(count == records)
        #expect(reader.byteOffset == reader.byteCount)
    }

    @Test(.enabled(if: RealFile.isThere("moma/Artworks.csv"), "moma/Artworks.csv is not there"))
    func `the artworks of the Museum of Modern Art are read`() throws {
        try count("moma/Artworks.csv", columns: 15, records: 123_919)
    }

    @Test(.enabled(if: RealFile.isThere("moma/Artists.csv"), "moma/Artists.csv is not there"))
    func `the artists of the Museum of Modern Art are read`() throws {
        try count("moma/Artists.csv", columns: 9, records: 14_839)
    }

    @Test(.enabled(if: RealFile.isThere("goodbooks/books.csv"), "goodbooks/books.csv is not there"))
    func `the ten thousand books are read`() throws {
        try count("goodbooks/books.csv", columns: 23, records: 10_000)
    }

    @Test(.enabled(if: RealFile.isThere("tate/artist_data.csv"), "tate/artist_data.csv is not there"))
    func `the artists of the Tate are read`() throws {
        try count("tate/artist_data.csv", columns: 9, records: 3_532)
    }

    @Test(
        .enabled(
            if: RealFile.isThere("tate/artworks_sample.jsonl"), "tate/artworks_sample.jsonl is not there"))
    func `the sample of the Tate's artworks is read`() throws {
        var options = RecordOptions()
        options.numbersElements = true
        let reader = try openRecords(path: RealFile.path("tate/artworks_sample.jsonl"), options: options)
        #expect(reader is JSONRecordReader)
        var count = 0
        while try reader.next() { count += 1 }
        #expect(count == 4_071)
        #expect(Set(reader.fieldNames).count == reader.fieldNames.count)
        #expect(reader.fieldNames.contains("contributors.0.fc"))
    }

    @Test(
        .enabled(
            if: RealFile.isThere("moma/Artists.csv", "moma/Artists.json"),
            "moma/Artists.csv and .json are not there"))
    func `the artists are the same in CSV and JSON, field by field`() throws {
        let table = Reading(try openRecords(path: RealFile.path("moma/Artists.csv")))
        let objects = Reading(try openRecords(path: RealFile.path("moma/Artists.json")))
        #expect(table.errors.isEmpty)
        #expect(objects.errors.isEmpty)
        #expect(objects.records.count == 14_839)
        #expect(table.fieldNames.count == objects.fieldNames.count)
        for name in table.fieldNames {
            // CSV has no null.
            #expect(table.values(name).map { $0 ?? "" } == objects.values(name).map { $0 ?? "" }, "\(name)")
        }
    }
}
