import Foundation
import SectionedFetch
import Testing

/// Files as a shell offers them: pipes, compressed files, other encodings, and records that are not at the
/// beginning.
@Suite struct LibraryImportInputTests {
    /// Runs a shell command with the tool as `$T`, the file as `$F` and the store as `$S`.
    private func shell(_ file: LibraryImportFile, _ command: String) throws -> ToolRun {
        try ToolProcess.run(
            executable: URL(filePath: "/bin/bash"),
            [
                "-c", "T=$1; F=$2; S=$3; set -o pipefail; \(command)", "bash",
                try ToolProcess.path("library-import"), file.path, file.storePath,
            ], command: "library-import", timeLimit: 60)
    }

    @Test(arguments: [
        "cat $F | $T - $S --entity Book", "$T - $S --entity Book < $F", "$T <(cat $F) $S --entity Book",
        "cat $F | $T /dev/stdin $S --entity Book", "gzip -c $F | $T - $S --entity Book",
        "gzip -c $F > $F.gz; $T $F.gz $S",
        "{ read line; $T - $S --entity Book --no-header --columns id,title; } < $F",
    ])
    func `standard input, pipes and process substitution are read like a file`(command: String) throws {
        let file = try LibraryImportFile("id,title\n" + (1...2_500).map { "\($0),T\($0)\n" }.joined())
        let run = try shell(file, command)
        #expect(run.status == 0 && run.output.hasPrefix("2,500 inserted"), "\(run)")
        let rows = try file.rows("Book", ["id", "title"])
        #expect(rows == (1...2_500).map { [.integer($0), .text("T\($0)")] })
    }

    @Test func `a pipe beyond the largest size is refused, and a proposal reads one`() throws {
        let file = try LibraryImportFile("id,title\n1,One\n2,Two\n")
        try shell(file, "cat $F | $T - $S --entity Book --max-file-size 10").expectRefusal(
            saying: "standard input: the file has more than 10 bytes")
        #expect(!file.storeExists)
        let run = try shell(file, "cat $F | $T propose - --entity Book")
        #expect(run.status == 0 && run.output.contains("\"entity\" : \"Book\""), "\(run)")
        try shell(file, "cat $F | $T - $S").expectRefusal(saying: "--entity")
    }

    @Test func `an error of standard input has its name and line`() throws {
        let file = try LibraryImportFile("id,title\n1,One\n2\n3,Three\n")
        let run = try shell(file, "cat $F | $T - $S --entity Book --type id=integer16")
        #expect(run.status == 1 && run.errors.contains("standard input:3: has 1 fields"), "\(run)")
    }

    @Test func `an object with an array is refused, and the array is imported with its path`() throws {
        let rows = (0..<1_500).map { "{\"id\": \"f\($0)\"}" }.joined(separator: ",\n")
        let file = try LibraryImportFile("quakes.json", "{\"type\": \"X\", \"features\": [\(rows)]}")
        try file.run().expectRefusal(saying: "“features”", "--at features")
        #expect(!file.storeExists)
        #expect(try file.counts(["--at", "features"]) == LibraryImportCounts(inserted: 1_500))
        #expect(try file.counts(["--at", "features"]) == LibraryImportCounts(unchanged: 1_500))
        try file.run(["--at", "feature"]).expectRefusal(saying: "no array at “feature”", "“features”")
        try file.run(["--at", "x", "--delimiter", ";"]).expectRefusal(status: 64)
    }

    @Test func `values that are no records are skipped and counted in arrays as in lines`() throws {
        for (name, content) in [
            ("book.json", "[{\"id\":1},{\"id\":2},null,[],{\"id\":3}]"),
            ("book.jsonl", "{\"id\":1}\n{\"id\":2}\nnull\n[]\n{\"id\":3}\n"),
        ] {
            let file = try LibraryImportFile(name, content)
            #expect(try file.counts(status: 1) == LibraryImportCounts(inserted: 3, skipped: 2))
        }
    }

    @Test func `a header on a later line, no header, comments and a footer are given by options`() throws {
        let file = try LibraryImportFile(
            "Export\nGenerated,2024\n\nid,title,year\n1,A,1901\n2,B,1902\nTotal,2\n")
        try file.run().expectRefusal(saying: "the first line has one field, the others 3", "--header-line 4")
        #expect(!file.storeExists)
        let options = ["--header-line", "4", "--skip-footer", "1"]
        #expect(try file.counts(options) == LibraryImportCounts(inserted: 2))
        try file.write("# c\n3,C,1903\n")
        let run = try file.run(["--no-header", "--columns", "id,title,year", "--comment", "#"])
        #expect(run.status == 0 && run.output.hasPrefix("1 inserted"), "\(run)")
        #expect(try file.rows("Book", ["id", "title", "year"]).count == 3)
        for invalid in [
            ["--header-line", "0"], ["--skip-lines", "-1"], ["--header-line", "2", "--no-header"],
            ["--comment", ""],
            ["--skip-footer", "-1"], ["--header-line", "2", "--skip-lines", "1"],
        ] {
            try file.run(invalid).expectRefusal(status: 64)
        }
    }

    @Test func `a header that looks like a row is reported`() throws {
        let file = try LibraryImportFile("1,Book 1,1901\n2,Book 2,1902\n")
        let run = try file.run()
        #expect(run.status == 0 && run.errors.contains("“1”, which looks like a value"), "\(run)")
        #expect(run.errors.contains("--no-header"), "\(run)")
        #expect(try file.run(["--no-header", "--entity", "Two"]).errors == "")
        #expect(try file.rows("Two", ["column1"]).count == 2)
    }

    @Test func `a name that is split over lines keeps a blank`() throws {
        let file = try LibraryImportFile("id,\"first\nname\",\"a \r\n b\"\n1,Ann,x\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        #expect(try file.rows("Book", ["first name", "a b"]) == [["Ann", "x"]])
    }

    @Test func `an encoding is found and reported in one line, or given`() throws {
        let file = try LibraryImportFile("")
        let text = "id,name\n1,Åsa\n2,Malmö\n"
        for (encoding, word) in [
            (String.Encoding.isoLatin1, "Windows-1252"), (.utf16LittleEndian, "UTF-16LE without"),
            (.utf16, "UTF-16"),
        ] {
            try #require(text.data(using: encoding)).write(to: file.directory.file(file.name))
            let run = try file.run(["--entity", "E\(encoding.rawValue)"])
            #expect(run.status == 0 && run.errors.contains(word), "\(run)")
            #expect(
                run.errors.split(separator: "\n").count { !$0.contains("becomes a new entity") } == 1,
                "\(run)")
            #expect(try file.rows("E\(encoding.rawValue)", ["name"]) == [["Åsa"], ["Malmö"]])
        }
        try #require("id,name\n1,Мир\n".data(using: .windowsCP1251)).write(to: file.directory.file(file.name))
        let run = try file.run(["--encoding", "CP1251", "--entity", "Given"])
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(try file.rows("Given", ["name"]) == [["Мир"]])
        try file.run(["--encoding", "NONE"]).expectRefusal(saying: "no converter from “NONE”", "iconv --list")
    }

    @Test func `rows with a wrong number of fields are counted, and only some are listed`() throws {
        let rows = (1...3_000).map { $0 % 3 == 0 ? "\($0),x,y,z\n" : $0 == 7 ? "7\n" : "\($0),T\n" }.joined()
        let file = try LibraryImportFile("id,title\n" + rows)
        let run = try file.run()
        #expect(run.status == 1 && run.output.hasPrefix("1,999 inserted"), "\(run)")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count { $0.contains("has 4 fields, the header 2") } == 5, "\(run)")
        #expect(lines.count { $0.contains("has 1 fields") } == 1, "\(run)")
        #expect(lines.contains { $0.contains("1,000 rows with 4 fields instead of 2") }, "\(run)")
        #expect(lines.count < 12, "\(run)")
    }

    @Test func `an array in a record is one text with a note, or columns on request`() throws {
        let file = try LibraryImportFile(
            "book.jsonl", "{\"id\": 1, \"tags\": [\"a\", \"b\"]}\n{\"id\": 2, \"tags\": []}\n")
        let run = try file.run()
        #expect(
            run.status == 0 && run.errors.contains("as JSON text: “tags”. Pass --number-elements"), "\(run)")
        #expect(try file.rows("Book", ["tags"]) == [["[\"a\",\"b\"]"], ["[]"]])
        #expect(try file.run(["--number-elements", "--entity", "Wide"]).errors == "")
        #expect(try file.rows("Wide", ["tags_0", "tags_1"]) == [["a", "b"], [.null, .null]])
    }
}
