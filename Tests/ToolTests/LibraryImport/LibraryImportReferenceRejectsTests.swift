import Foundation
import SectionedFetch
import Testing

/// `--rejects` of formats with records of text or bytes: the file is mended and imported alone.
@Suite struct LibraryImportReferenceRejectsTests {
    private func importing(
        _ rejects: String, into file: LibraryImportFile, _ options: [String] = [], entity: String
    ) throws -> ToolRun {
        try ToolProcess.run("library-import", [rejects, file.storePath, "--entity", entity] + options)
    }

    private func replace(_ text: String, with other: String, in path: String) throws {
        let content = try String(contentsOfFile: path, encoding: .utf8)
        try #require(content.contains(text))
        try Data(content.replacing(text, with: other).utf8).write(to: URL(filePath: path))
    }

    @Test func `entries whose macros come later are imported alone`() throws {
        let file = try LibraryImportFile(
            "refs.bib",
            "@article{a, title = {A}, journal = j}\n@string{j = {J}}\n@article{b, title = {B} bad, journal = j}\n@article{c, title = {C}, journal = j}\n"
        )
        let rejects = file.directory.path("bad.bib")
        let run = try file.run(["--rejects", rejects])
        #expect(run.status == 1 && run.errors.contains("defined only in line 2"), "\(run)")
        try replace(" bad", with: "", in: rejects)
        let again = try importing(rejects, into: file, entity: "Refs")
        #expect(again.status == 0 && again.output.contains("2 inserted"), "\(again)")
        #expect(
            try file.rows("Refs", ["citationKey", "journal"]) == [
                [.text("c"), .text("J")], [.text("a"), .text("J")], [.text("b"), .text("J")],
            ])
    }

    @Test func `references of RIS are imported alone`() throws {
        let file = try LibraryImportFile(
            "refs.ris", "TY  - A\r\nAU- x\r\nER  - \r\nTY  - B\r\nAU  - y\r\nTY  - C\r\nAU  - z\r\nER  - \r\n"
        )
        let rejects = file.directory.path("bad.ris")
        #expect(try file.run(["--rejects", rejects]).status == 1)
        try replace("AU- x", with: "AU  - x", in: rejects)
        try replace("AU  - y\r\n", with: "AU  - y\r\nER  - \r\n", in: rejects)
        let again = try importing(rejects, into: file, ["--no-key"], entity: "Refs")
        #expect(again.status == 0 && again.output.contains("2 inserted"), "\(again)")
        #expect(try file.rows("Refs", ["AU"]) == [[.text("z")], [.text("x")], [.text("y")]])
    }

    @Test(arguments: [[], ["--encoding", "UTF-8"]])
    func `records of MARC have their bytes in the file`(options: [String]) throws {
        func record(_ number: Int, _ title: [UInt8]) -> [UInt8] {
            let fields = [Array("\(number)".utf8), Array("10\u{1F}a".utf8) + title].map { $0 + [0x1E] }
            let directory = String(
                format: "001%04d00000245%04d%05d", fields[0].count, fields[1].count, fields[0].count)
            let count = 49 + fields[0].count + fields[1].count + 1
            let leader = String(format: "%05dnam a2200049 a 4500", count)
            return Array((leader + directory).utf8) + [0x1E] + fields[0] + fields[1] + [0x1D]
        }
        let file = try LibraryImportFile("books.mrc", "")
        let bad = [record(2, [0xE1, 0x65]), record(3, [0x41, 0xFF])]
        try Data(record(1, [0x41]) + bad[0] + bad[1]).write(to: file.directory.file("books.mrc"))
        let rejects = file.directory.path("bad.mrc")
        #expect(try file.run(options + ["--rejects", rejects]).status == 1)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: rejects)))
        #expect(bytes == bad[0] + [0x0A] + bad[1] + [0x0A])
        // Unchanged, they are rejected again.
        #expect(try importing(rejects, into: file, options, entity: "Books").status == 1)
        for position in bytes.indices where bytes[position] >= 0x80 { bytes[position] = 0x42 }
        try Data(bytes).write(to: URL(filePath: rejects))
        let again = try importing(rejects, into: file, options, entity: "Books")
        #expect(again.status == 0 && again.output.contains("2 inserted"), "\(again)")
        #expect(
            try file.rows("Books", ["controlNumber", "title"]) == [
                [.integer(1), .text("A")], [.integer(2), .text("Be")], [.integer(3), .text("AB")],
            ])
    }

    @Test func `rows of CSV that are not UTF-8 are rejected again until they are mended`() throws {
        let file = try LibraryImportFile("")
        try Data(Array("id,name\n1,a\n2,".utf8) + [0xFF] + Array("\n3,c\n".utf8)).write(
            to: file.directory.file(file.name))
        let rejects = file.directory.path("bad.csv")
        let options = ["--encoding", "UTF-8", "--key", "id"]
        #expect(try file.run(options + ["--rejects", rejects]).status == 1)
        let again = try importing(rejects, into: file, options, entity: "Book")
        #expect(again.status == 1 && again.output.contains("1 skipped"), "\(again)")
    }
}
