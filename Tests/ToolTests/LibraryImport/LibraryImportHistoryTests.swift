import Foundation
import SectionedFetch
import Testing

/// The imports that a store records, by which a file without a key is not imported twice.
@Suite struct LibraryImportHistoryTests {
    private static let content = "name,year\nA,1\nA,1\nB,2\n"

    private func history(_ file: LibraryImportFile) throws -> [[String: Any]] {
        let run = try ToolProcess.run("library-import", ["history", file.storePath, "--json"])
        #expect(run.status == 0, "\(run)")
        return try #require(
            JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    }

    /// The SHA-256 that the system's tool computes.
    private func digest(_ path: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/sha256sum")
        process.arguments = [path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return String(output.prefix(64))
    }

    @Test func `a file without a key is imported once, unless --again is given`() throws {
        let file = try LibraryImportFile(Self.content)
        #expect(try file.counts(["--no-key"]).inserted == 3)
        try file.run(["--no-key"]).expectRefusal(saying: "Pass --again to import them again")
        // Another name, and another folder, do not make another file.
        let copy = file.directory.path("copy.csv")
        try FileManager.default.copyItem(atPath: file.path, toPath: copy)
        try ToolProcess.run("library-import", [copy, file.storePath, "--entity", "Book", "--no-key"])
            .expectRefusal(saying: "import 1 of “book.csv”, 3 rows inserted")
        #expect(try file.rows("Book", ["name"]).count == 3)
        #expect(try file.counts(["--no-key", "--again"]).inserted == 3)
        #expect(try file.rows("Book", ["name"]).count == 6)
        #expect(try file.counts(["--no-key", "--entity", "Other"]).inserted == 3)
        try file.write(Self.content + "C,3\n")
        #expect(try file.counts(["--no-key"]).inserted == 4)
        #expect(try history(file).count == 4)
    }

    @Test func `a compressed file is the same as its contents`() throws {
        let file = try LibraryImportFile(Self.content)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/gzip")
        process.arguments = ["-k", file.path]
        try process.run()
        process.waitUntilExit()
        let first = try ToolProcess.run(
            "library-import", [file.path + ".gz", file.storePath, "--entity", "Book", "--no-key"])
        #expect(first.status == 0, "\(first)")
        #expect(try history(file).first?["digest"] as? String == digest(file.path))
        try file.run(["--no-key"]).expectRefusal(saying: "was imported into “Book”")
    }

    @Test(arguments: [["--batch", "2"], ["--atomic"], []])
    func `an import is recorded with its file, options and counts`(options: [String]) throws {
        let file = try LibraryImportFile("id,author\n1,Ann\n2,Bob\n3,\n4,Ann,\n")
        let arguments = ["--key", "id", "--relationship", "author=Author"] + options
        let before = Date().addingTimeInterval(-1)
        #expect(try file.run(arguments).status == 1)
        let records = try history(file)
        try #require(records.count == 1)
        let record = records[0]
        #expect(record["number"] as? Int == 1)
        #expect(record["file"] as? String == "book.csv")
        #expect(record["entity"] as? String == "Book")
        #expect(record["options"] as? String == arguments.joined(separator: " "))
        #expect(record["digest"] as? String == (try digest(file.path)))
        let counts = ["inserted", "updated", "unchanged", "skipped", "createdRelated"]
        #expect(counts.map { record[$0] as? Int } == [3, 0, 0, 1, 2])
        let time = try Date(#require(record["time"] as? String), strategy: .iso8601)
        #expect(time >= before && time <= Date())
        let text = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(
            text.output.contains(
                "“book.csv” into Book: 3 inserted, 0 updated, 0 unchanged, 1 skipped, 2 related objects created; --key id"
            ), "\(text)")
    }

    @Test func `an import that fails is recorded as unfinished, and a dry run is not recorded`() throws {
        let file = try LibraryImportFile("id,year\n1,1\n2,2\n3,x\n")
        let options = ["--type", "year=integer16", "--batch", "2"]
        #expect(try file.run(options + ["--on-error", "stop"]).status == 2)
        #expect(try file.run(options + ["--dry-run"]).status == 1)
        #expect(try history(file).map { $0["complete"] as? Bool } == [false])
        let text = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(text.output.hasSuffix("; unfinished\n"), "\(text)")
        // The rows of the first batch were committed; an import without any is not recorded.
        let other = try LibraryImportFile("id,year\n1,x\n")
        #expect(try other.run(options + ["--on-error", "stop"]).status == 2)
        #expect(!other.storeExists)
    }

    @Test func `a store records the last thousand imports`() throws {
        let file = try LibraryImportFile("id\n1\n")
        #expect(try file.counts().inserted == 1)
        let container = try file.openStore()
        try container.write { writer in
            for number in 2...1_005 {
                try writer.add(
                    ImportRecord(
                        date: Date(timeIntervalSinceReferenceDate: Double(number)), fileName: "\(number)",
                        digest: nil, entityName: "Book", options: "", counts: ImportCounts(inserted: 1)))
            }
        }
        let numbers = try history(file).compactMap { $0["number"] as? Int }
        #expect(numbers == Array(6...1_005))
    }
}
