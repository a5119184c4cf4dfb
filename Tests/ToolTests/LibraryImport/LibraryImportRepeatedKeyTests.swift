import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Records of one file that have the same key.
@Suite struct LibraryImportRepeatedKeyTests {
    /// Returns the file, with a line for each code and a value that differs in each line.
    private func content(_ codes: [Int], from start: Int = 0) -> String {
        "code,value\n" + codes.enumerated().map { "c\($1),\($0 + start)\n" }.joined()
    }

    /// Returns the number of codes that occurred earlier, and the line of the first of them.
    private func repetitions(of codes: [Int]) -> (count: Int, line: Int) {
        var seen: Set<Int> = []
        let positions = codes.indices.filter { !seen.insert(codes[$0]).inserted }
        return (positions.count, (positions.first ?? 0) + 2)
    }

    @Test(arguments: [[], ["--dry-run"], ["--batch", "7"], ["--atomic"], ["--partial"]])
    func `records that replace an earlier one are counted, with the first line`(options: [String]) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        // The first file makes the rows, the second one finds them in another order.
        for codes in [
            (0..<60).map { _ in Int.random(in: 0..<40, using: &generator) },
            (0..<60).map { _ in Int.random(in: 0..<80, using: &generator) },
            Array((0..<80).reversed()) + [3],
        ] {
            let file = try LibraryImportFile(content(Array(0..<40)))
            #expect(try file.counts(["--key", "code"]).inserted == 40)
            try file.write(content(codes, from: 1_000))
            let run = try file.run(["--key", "code"] + options)
            let expected = repetitions(of: codes)
            let subject =
                expected.count == 1 ? "1 record has" : "\(expected.count) records have"
            #expect(run.status == 0)
            #expect(
                run.errors.contains("\(subject) the “code” of an earlier record of the file"), "\(run)")
            #expect(run.errors.contains("first in line \(expected.line)."), "\(run)")
            let json = try file.run(["--key", "code", "--json", "--on-change", "accept"] + options)
            let count = try json.jsonObject()["repeatedRows"] as? Int
            #expect(count == expected.count, "\(json)")
        }
    }

    @Test func `a new entity counts the repetitions of a wrong key`() throws {
        let file = try LibraryImportFile("species,day\na,1\nb,2\na,3\na,4\nb,2\n")
        let run = try file.run(["--key", "species"])
        // The last record is equal to the one that it repeats.
        #expect(run.output.hasPrefix("2 inserted, 2 updated, 1 unchanged"), "\(run)")
        #expect(run.errors.contains("2 records have the “species” of an earlier record"), "\(run)")
        #expect(run.errors.contains("first in line 4."), "\(run)")
    }

    @Test(arguments: [[], ["--atomic"], ["--dry-run"]])
    func `the records of each of several files are compared among themselves`(options: [String]) throws {
        let file = try LibraryImportFile(content([1, 2, 3, 2]))
        let second = file.directory.path("second.csv")
        try Data(content([1, 2, 3, 4, 4, 4], from: 100).utf8).write(to: URL(filePath: second))
        let run = try ToolProcess.run(
            "library-import",
            [file.path, second, file.storePath, "--entity", "Book", "--key", "code"] + options)
        #expect(run.status == 0, "\(run)")
        for words in [
            "book.csv”: 1 record has the “code” of an earlier record of the file",
            "second.csv”: 2 records have the “code” of an earlier record of the file",
        ] { #expect(run.errors.contains(words), "\(run)") }
    }

    @Test func `records of JSON are counted as well`() throws {
        let file = try LibraryImportFile(
            "book.jsonl", "{\"id\": 1, \"a\": [1]}\n{\"id\": 1, \"a\": [2]}\n{\"id\": 1, \"a\": [2]}\n")
        let run = try file.run(["--key", "id"])
        #expect(run.errors.contains("1 record has the “id” of an earlier record"), "\(run)")
        #expect(run.errors.contains("first in line 2."), "\(run)")
    }

    @Test func `files without repetitions, and repetitions across imports, are not named`() throws {
        let file = try LibraryImportFile(content(Array(0..<300)))
        for start in [0, 1_000, 2_000] {
            try file.write(content(Array((0..<300).shuffled()), from: start))
            let run = try file.run(["--key", "code"])
            #expect(run.status == 0 && !run.errors.contains("earlier record"), "\(run)")
        }
    }
}
