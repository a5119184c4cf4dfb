import Foundation
import Testing

/// Checks the catalogue of real works beside the tools with a separate reader.
@Suite struct SampleCatalogueTests {
    private let records: [[String]]

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Tools/Support/SampleCatalogue/works.csv")
        let text = try #require(String(validating: Data(contentsOf: file), as: UTF8.self))
        var records = try strictCSVRecords(text)
        try #require(!records.isEmpty)
        #expect(records.removeFirst() == ["title", "author", "year", "language", "genre"])
        self.records = records
    }

    @Test func `the catalogue has at least 300 works, each with five fields`() {
        #expect(records.count >= 300)
        #expect(records.allSatisfy { $0.count == 5 })
    }

    @Test func `no work is repeated`() {
        let counts = Dictionary(grouping: records) { [$0[0], $0[1]] }
        #expect(counts.filter { $0.value.count > 1 }.keys.isEmpty)
    }

    @Test func `years are empty or whole numbers of recorded history`() throws {
        for record in records where !record[2].isEmpty {
            let year = try #require(Int(record[2]), "\(record)")
            // 1 BCE (-1) is followed by 1 CE, without a year 0.
            #expect(-2_500...2_026 ~= year && year != 0, "\(record)")
        }
        #expect(records.contains { $0[2].isEmpty })
        #expect(records.contains { $0[2].hasPrefix("-") })
    }

    @Test func `every work has a title, a language and a known genre`() {
        let genres: Set = [
            "Children's", "Crime", "Epic", "Fantasy", "Memoir", "Non-fiction", "Novel", "Novella",
            "Philosophy", "Play", "Poetry", "Science fiction", "Short stories", "Short story",
        ]
        for record in records {
            #expect(!record[0].isEmpty && !record[3].isEmpty)
            #expect(genres.contains(record[4]), "\(record)")
        }
        #expect(Set(records.map { $0[4] }) == genres)
    }

    @Test func `fields are trimmed and in canonical composition`() {
        for field in records.joined() {
            #expect(field == field.trimmingCharacters(in: .whitespacesAndNewlines))
            #expect(Array(field.precomposedStringWithCanonicalMapping.utf8) == Array(field.utf8), "\(field)")
        }
    }

    @Test func `titles are in ten scripts or more`() {
        // One range of letters for each script is enough to count them.
        let scripts: [(name: String, letters: ClosedRange<UInt32>)] = [
            ("Latin", 0x41...0x24F), ("Greek", 0x370...0x3FF), ("Cyrillic", 0x400...0x52F),
            ("Hebrew", 0x590...0x5FF), ("Arabic", 0x600...0x6FF), ("Devanagari", 0x900...0x97F),
            ("Bengali", 0x980...0x9FF), ("Tamil", 0xB80...0xBFF), ("Thai", 0xE00...0xE7F),
            ("Georgian", 0x10A0...0x10FF), ("Kana", 0x3040...0x30FF), ("Han", 0x4E00...0x9FFF),
            ("Hangul", 0xAC00...0xD7AF),
        ]
        let found = scripts.filter { script in
            records.contains { $0[0].unicodeScalars.contains { script.letters.contains($0.value) } }
        }
        #expect(found.count >= 10, "\(found.map(\.name))")
    }

    @Test func `titles have beginnings that are hard to sort`() {
        let titles = records.map { $0[0] }
        for beginning in ["É", "À", "Ö", "1", "i"] {
            #expect(titles.contains { $0.hasPrefix(beginning) }, "no title begins with \(beginning)")
        }
        #expect(titles.contains { $0.contains(",") })
        #expect(titles.contains { $0.contains("\"") })
        #expect(records.contains { $0[1].isEmpty })
    }
}

/// A reader that accepts RFC 4180 and nothing else: CRLF after each record, quotes only around whole fields.
private func strictCSVRecords(_ text: String) throws -> [[String]] {
    struct Malformed: Error { let record: Int }
    var records: [[String]] = []
    var fields: [String] = []
    var field = ""
    var isQuoted = false
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
        if isQuoted {
            if scalar != "\"" {
                field.unicodeScalars.append(scalar)
            } else if scalars.first == "\"" {
                scalars.removeFirst()
                field.append("\"")
            } else {
                isQuoted = false
                guard scalars.first == "," || scalars.first == "\r" else {
                    throw Malformed(record: records.count)
                }
            }
            continue
        }
        switch scalar {
        case ",":
            fields.append(field)
            field = ""
        case "\r":
            guard scalars.popFirst() == "\n" else { throw Malformed(record: records.count) }
            fields.append(field)
            records.append(fields)
            fields = []
            field = ""
        case "\"":
            guard field.isEmpty else { throw Malformed(record: records.count) }
            isQuoted = true
        case "\n":
            throw Malformed(record: records.count)
        default:
            field.unicodeScalars.append(scalar)
        }
    }
    guard !isQuoted, field.isEmpty, fields.isEmpty else { throw Malformed(record: records.count) }
    return records
}
