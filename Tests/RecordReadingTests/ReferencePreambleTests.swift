import CheckSupport
import RecordReading
import Testing

/// Text above the first reference of BibTeX and RIS.
@Suite struct ReferencePreambleTests {
    private static let entry = "@article{k, title = {T}}\n"
    private static let record = "TY  - JOUR\nTI  - T\nER  - \n"

    @Test(
        arguments: [
            ("This file was made by X, version 2.\nAll rights reserved, also in parts.\n\n", 2),
            ("# a comment\n# another\n", 2), ("// a\n", 1),
            ("Provider: X\nContent:text/plain; charset=\"a\"\n", 2),
            ("GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n", 2), ("12\" records, by title\n", 1),
            ("% a comment\n\n%% b\n", 0), ("\n  \n", 0), ("", 0), ("a: b\nc: d\ne: f\n", 3), ("---\n", 1),
        ])
    func `text above the first reference is left out, and a note has the number of its lines`(
        preamble: String, count: Int
    ) throws {
        for (text, key) in [(Self.entry, "title"), (Self.record, "TI")] {
            let reading = try NamedReading(preamble + text)
            #expect(reading.errors.isEmpty && reading.records.map { $0[key] } == ["T"])
            #expect(reading.lines == [1 + preamble.count { $0 == "\n" }])
            let words = count == 1 ? "without the line above" : "without the \(count) lines above"
            #expect(reading.note?.contains(words) ?? false == (count > 0), "\(reading.note ?? "-")")
        }
    }

    @Test(
        arguments: [
            "id,text\n1,\"a\n@article{k,\n b\"\n2,c\n", "id;text\n1;\"a\nTY  - JOUR\n b\"\n2;c\n",
            "user,text\n@ann,a\n@bob,b\n", "text\n@ann (b) c\n@bob d\n", "a,b\nTY,1\nAU,2\n", "a-b\nTY-x\n",
        ])
    func `a table with such texts stays a table`(text: String) throws {
        let file = try TemporaryFile(text)
        let reading = Reading(try openRecords(path: file.path))
        #expect(reading.errors.isEmpty && reading.records.count == 2 || text.hasPrefix("a-b"))
        #expect(try openRecords(path: file.path) is CSVReader)
    }

    @Test func `a block of code in Markdown is no list of references`() throws {
        let file = try TemporaryFile("# A\n\nCite it, please, as follows.\n\n```bibtex\n\(Self.entry)```\n")
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        #expect(error?.reason == .otherFormat("Markdown"))
    }

    @Test func `a delimiter or a description of the table makes it CSV`() throws {
        let file = try TemporaryFile("x,y\n\(Self.entry)")
        #expect(try openRecords(path: file.path) is NamedRecordReader)
        #expect(try openRecords(path: file.path, options: .init(delimiter: UInt8(ascii: ","))) is CSVReader)
        var options = RecordOptions()
        options.hasHeader = false
        #expect(try openRecords(path: file.path, options: options) is CSVReader)
    }

    @Test(arguments: [
        "PMID- 1\nTI  - T\n", "%0 Journal Article\n%T T\n", "FN Clarivate Analytics Web of Science\nPT J\n",
    ])
    func `other formats of references are refused with those that are read`(text: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: RecordError.self) { try openRecords(path: file.path) }
        #expect(error?.description.contains("export the references as RIS or BibTeX") == true)
        #expect(try openRecords(path: file.path, options: .init(delimiter: UInt8(ascii: ";"))) is CSVReader)
    }
}
