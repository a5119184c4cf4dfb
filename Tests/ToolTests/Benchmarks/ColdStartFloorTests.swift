import Foundation
import Testing

/// The C program to which the benchmark compares hits is written from `CacheFormat.md` alone, and reads the
/// same sections and rows as the controller.
@Suite struct ColdStartFloorTests {
    /// A number of rows that needs more than two chunks.
    private static let rows = 12_000

    /// Makes a store with a filled cache.
    private static func makeStore(in scratch: ScratchDirectory, rows: Int = rows) throws {
        let prepared = try ToolProcess.run(
            "cold-start-sample", ["prepare", scratch.path("songs.sqlite"), "\(rows)", "27"], timeLimit: 300)
        try #require(prepared.status == 0, "\(prepared)")
        try fill(in: scratch)
    }

    /// Runs a controller that saves the entry if its cache lacks it.
    private static func fill(in scratch: ScratchDirectory) throws {
        let filled = try ToolProcess.run("cold-start-sample", controller(in: scratch, "fill"))
        try #require(filled.status == 0, "\(filled)")
    }

    private static func controller(in scratch: ScratchDirectory, _ expectation: String) -> [String] {
        ["controller", "plain", scratch.path("songs.sqlite"), scratch.path("caches"), expectation]
    }

    private static func floor(in scratch: ScratchDirectory) throws -> ToolRun {
        try ToolProcess.run(
            "cold-start-floor", ["hit", scratch.path("songs.sqlite"), scratch.path("caches")])
    }

    /// The answer as both programs print it.
    private struct Answer: Equatable {
        var sections: Int
        var rows: Int
        var digest: String

        init(_ run: ToolRun) throws {
            let line = try run.jsonObject()
            sections = try #require(line["sections"] as? Int)
            rows = try #require(line["rows"] as? Int)
            digest = try #require(line["digest"] as? String)
        }

        /// Computes the answer from the rows of a list in its order, each with its section and title.
        init(rows list: [(section: String, title: String)]) {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            func add(_ text: String) {
                for byte in text.utf8 + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
            var counts: [(section: String, count: Int)] = []
            for row in list {
                if counts.last?.section != row.section { counts.append((row.section, 0)) }
                counts[counts.count - 1].count += 1
            }
            for (section, count) in counts {
                add(section)
                add("\(count)")
            }
            for row in list.prefix(20) { add(row.title) }
            sections = counts.count
            rows = list.count
            digest = String(hash, radix: 16)
        }
    }

    /// Returns the answer computed from the rows that another program reads from the store.
    private static func expected(in scratch: ScratchDirectory) throws -> Answer {
        let lines = try ForeignWriter.run(
            "SELECT section, title FROM Song ORDER BY section, title", on: scratch.path("songs.sqlite"))
        return Answer(
            rows: lines.split(separator: "\n").map { line in
                let parts = line.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), String(parts[1]))
            })
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `the program reads a newly saved entry as the controller does`() throws {
        let scratch = try ScratchDirectory()
        try Self.makeStore(in: scratch)
        let answer = try Answer(Self.floor(in: scratch))
        #expect(answer == (try Self.expected(in: scratch)))
        #expect(
            answer == (try Answer(ToolProcess.run("cold-start-sample", Self.controller(in: scratch, "hit")))))
    }

    @Test(
        .enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason),
        arguments: [
            // The first chunk is replaced by one with another number.
            "UPDATE Song SET title = 'Zebra', section = 'Z' WHERE objectID IN (SELECT objectID FROM Song ORDER BY section, title LIMIT 30)",
            // The first rows have keys that are larger than the other keys of their chunk.
            "INSERT INTO Song SELECT NULL, '!' || title, '!', year, genre, duration, added, artist FROM Song LIMIT 5",
            // Rows of all chunks are deleted, more than the first screen shows.
            "DELETE FROM Song WHERE objectID % 3 = 0",
        ])
    func `the program reads an advanced entry as the controller does`(change: String) throws {
        let scratch = try ScratchDirectory()
        try Self.makeStore(in: scratch)
        for _ in 0..<3 {
            try ForeignWriter.run(change, on: scratch.path("songs.sqlite"))
            try Self.fill(in: scratch)
            let answer = try Answer(Self.floor(in: scratch))
            #expect(answer == (try Self.expected(in: scratch)))
        }
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason), arguments: [0, 1, 19])
    func `the program reads a list that is shorter than a screen`(rows: Int) throws {
        let scratch = try ScratchDirectory()
        try Self.makeStore(in: scratch, rows: max(rows, 1))
        if rows == 0 {
            try ForeignWriter.run("DELETE FROM Song", on: scratch.path("songs.sqlite"))
            try Self.fill(in: scratch)
        }
        #expect(try Answer(Self.floor(in: scratch)) == (try Self.expected(in: scratch)))
    }

    @Test(arguments: [1, 3] as [UInt8])
    func `an entry of another format is refused with the number of its format`(version: UInt8) throws {
        let scratch = try ScratchDirectory()
        try Self.makeStore(in: scratch, rows: 100)
        let file = scratch.file("caches/data.mdb")
        var bytes = try Data(contentsOf: file)
        let mark = Data("SCINDEX\n".utf8)
        var start = bytes.startIndex
        var count = 0
        while let range = bytes.range(of: mark, in: start..<bytes.endIndex) {
            bytes[range.upperBound] = version
            start = range.upperBound
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: file)
        let run = try Self.floor(in: scratch)
        #expect(run.status == 1 && run.output == "", "\(run)")
        #expect(run.errors.contains("in format \(version); this program reads format 2"), "\(run)")
    }

    @Test func `the constants of the program are those of CacheFormat md`() throws {
        let format = try FormatDocument()
        let header = try RepositoryFile.text("Tools/Benchmarks/ColdStartFloor/format.h")
        var constants: [String: Int] = [:]
        for match in header.matches(of: /format_([a-z_]+) = (0x[0-9A-F]+|[0-9]+)/) {
            let text = match.2
            constants[String(match.1)] =
                text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        }
        #expect(constants == (try format.constants()))
        #expect(header.contains("#define FORMAT_MAGIC \"SCINDEX\\n\""))
        #expect(try format.line("Directory", offset: 0).contains("`SCINDEX` and a line feed"))
    }
}

/// The tables of `CacheFormat.md`.
private struct FormatDocument {
    /// The lines of each table, by the heading above it.
    private var sections: [String: [[String]]] = [:]

    init() throws {
        var heading = ""
        let text = try RepositoryFile.text("Sources/SectionCaching/Documentation.docc/CacheFormat.md")
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" || $0 == " " }.description
            } else if line.hasPrefix("|"), !line.hasPrefix("|-") {
                let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                    .dropLast()
                sections[heading, default: []].append(
                    cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
    }

    /// Returns the first line of a table whose meaning begins with `meaning`.
    private func line(_ section: String, _ meaning: String) throws -> [String] {
        try #require(
            sections[section]?.first { $0.last?.hasPrefix(meaning) == true },
            "“\(meaning)” in “\(section)”")
    }

    func line(_ section: String, offset: Int) throws -> String {
        try #require(sections[section]?.first { $0[0] == "\(offset)" }?.last)
    }

    private func offset(_ section: String, _ meaning: String) throws -> Int {
        try #require(Int(line(section, meaning)[0]), "the offset of “\(meaning)”")
    }

    /// Returns the size in a line of a table, given for example as `32 each`.
    private func size(_ meaning: String) throws -> Int {
        let text = try line("Directory", meaning)[1]
        return try #require(text.split(separator: " ").first.flatMap { Int($0) }, "the size of “\(meaning)”")
    }

    /// Returns the numbers that the header of the C program must have, by their names there.
    func constants() throws -> [String: Int] {
        let keys = try #require(sections["Keys"]?.dropFirst())
        let prefix = keys.prefix(2).compactMap { Int($0[0]) }.reduce(0, +)
        let kind = try #require(keys.first { $0[0] == "1" })
        let number = try #require(
            keys.first { $0[2].hasPrefix("number of the chunk") }.flatMap { Int($0[0]) })
        let version = try line("Directory", "version of the format")
        return [
            "version": try #require(version[2].split(separator: " ").last.flatMap { Int($0) }),
            "byte_order": try #require(
                Int(line("Directory", "0x")[2].dropFirst(2).prefix(8), radix: 16)),
            "key_prefix_size": prefix,
            "key_kind_chunk": try #require(Int(kind[2])),
            "directory_key_size": prefix + 1,
            "chunk_key_size": prefix + 1 + number,
            "directory_version": try offset("Directory", "version of the format"),
            "directory_byte_order": try offset("Directory", "0x"),
            "directory_rows": try offset("Directory", "number of rows"),
            "directory_sections": try offset("Directory", "number of sections"),
            "directory_chunks": try offset("Directory", "number of chunks"),
            "directory_retired": try offset("Directory", "number of retired chunks"),
            "directory_request": try offset("Directory", "bytes of the canonical request"),
            "directory_summary": try offset("Directory", "bytes of the summary"),
            "directory_token": try offset("Directory", "bytes of the token"),
            "directory_heap": try offset("Directory", "bytes of the heap"),
            "directory_size": try offset("Directory", "canonical request, summary, token"),
            "section_size": try size("section table"),
            "section_first_row": try offset("Section table", "position of its first row"),
            "section_name": try offset("Section table", "offset in the heap and length of its name"),
            "chunk_entry_size": try size("chunk table"),
            "chunk_entry_rows": try offset("Chunk table", "number of its rows"),
            "chunk_entry_bytes": try offset("Chunk table", "bytes of the chunk"),
            "chunk_entry_number": try offset("Chunk table", "number in its key"),
            "chunk_entry_width": try offset("Chunk table", "its width"),
            "retired_entry_size": try size("numbers of the retired chunks"),
            "chunk_base": try offset("Chunk", "the base"),
            "chunk_width": try offset("Chunk", "width"),
            "chunk_rows": try offset("Chunk", "for each row its ID"),
        ]
    }
}
