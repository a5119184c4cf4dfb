import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Imports without a key that continue after they were stopped or killed.
@Suite struct LibraryImportResumeTests {
    private static let options = ["--entity", "Book", "--no-key", "--type", "year=integer64"]

    /// A file with repeated rows and bad rows, and the good rows.
    private func content(_ count: Int) -> (csv: String, rows: [[StoredValue]]) {
        var csv = "title,year,author\n"
        var rows: [[StoredValue]] = []
        for number in 0..<count {
            let isBad = number % 97 == 5
            csv += "T\(number % 13),\(isBad ? "x" : "\(number)"),A\(number % 700)\n"
            if !isBad { rows.append([.text("T\(number % 13)"), .integer(Int64(number))]) }
        }
        return (csv, rows)
    }

    @Test func `an import continues after the records of complete batches`() throws {
        let (csv, rows) = content(5_000)
        let file = try LibraryImportFile(csv)
        let options = Self.options + ["--relationship", "author=Author"]
        let stopped = try file.run(options + ["--batch", "500", "--max-rows", "1700"])
        #expect(stopped.status == 2, "\(stopped)")
        let run = try file.run(options + ["--json"])
        #expect(run.status == 1 && run.errors.contains("Continuing the import of"), "\(run)")
        #expect(run.errors.contains("after 1,700 records"), "\(run)")
        let counts = try JSONDecoder().decode(LibraryImportCounts.self, from: Data(run.output.utf8))
        #expect(
            counts
                == LibraryImportCounts(
                    inserted: rows.count, skipped: 5_000 - rows.count, createdRelated: 700))
        #expect(try file.rows("Book", ["title", "year"]) == rows)
        try file.run(options).expectRefusal(saying: "Pass --again")
    }

    @Test(.timeLimit(.minutes(3)))
    func `an import that is killed again and again inserts each row once`() throws {
        let (csv, rows) = content(60_000)
        let file = try LibraryImportFile(csv)
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var status: Int32?
        var kills = 0
        while status == nil {
            let process = Process()
            process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
            process.arguments = [file.path, file.storePath, "--batch", "200"] + Self.options
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            if kills < 12 {
                usleep(UInt32.random(in: 50_000...400_000, using: &random))
                if kill(process.processIdentifier, SIGKILL) == 0 { kills += 1 }
            }
            process.waitUntilExit()
            if process.terminationReason == .exit { status = process.terminationStatus }
        }
        #expect(status == 1, "seed \(seed)")
        #expect(try file.rows("Book", ["title", "year"]) == rows, "seed \(seed), \(kills) kills")
    }

    @Test func `a changed file does not continue, and --again begins with its first record`() throws {
        let file = try LibraryImportFile("title,year\nA,1\nB,2\nC,3\n")
        #expect(try file.run(Self.options + ["--batch", "1", "--max-rows", "2"]).status == 2)
        try file.write("title,year\nA,1\nB,2\nC,3\nD,4\n")
        try file.run(Self.options).expectRefusal(saying: "the file has changed since")
        #expect(try file.rows("Book", ["title"]) == [["A"], ["B"]])
        #expect(try file.counts(Self.options + ["--again"]).inserted == 4)
        #expect(try file.rows("Book", ["title"]).count == 6)
        // The record of the position is gone.
        #expect(try file.counts(Self.options + ["--again"]).inserted == 4)
    }

    @Test func `a stopped import says how it continues`() throws {
        let file = try LibraryImportFile("title,year\nA,1\nB,2\nC,3\n")
        let options = Self.options + ["--batch", "1"]
        #expect(try file.run(options + ["--max-rows", "1"]).status == 2)
        try file.run(options + ["--skip-footer", "1"]).expectRefusal(saying: "other options or columns")
        let run = try file.run(options + ["--dry-run"])
        #expect(run.output.hasPrefix("Dry run: nothing was written. 3 inserted"), "\(run)")
        #expect(try file.rows("Book", ["title"]) == [["A"]])
        #expect(try file.counts(options).inserted == 3)
        #expect(try file.rows("Book", ["title"]) == [["A"], ["B"], ["C"]])
    }
}
