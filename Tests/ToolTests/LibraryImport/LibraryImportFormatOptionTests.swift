import Foundation
import SectionedFetch
import Testing

/// Options for reading that a file's format does not have, and options that are given several times.
@Suite struct LibraryImportFormatOptionTests {
    private static let library =
        "<plist><dict><key>Tracks</key><dict><key>1</key><dict><key>Track ID</key><integer>1</integer><key>Persistent ID</key><string>A</string></dict></dict></dict></plist>"

    @Test(
        arguments: [
            (
                "a.json", "[{\"a\": 1}]", "JSON",
                ["--no-header", "--skip-footer=1", "--comment=#", "--number-columns"]
            ),
            ("a.jsonl", "{\"a\": 1}\n", "JSON", ["--header-line=2", "--repair", "--map-path=/a=/b"]),
            (
                "a.csv", "a,b\n1,2\n", "CSV",
                ["--number-elements", "--repair", "--map-path=/a=/b", "--arrays=text"]
            ),
            (
                "a.bib", "@a{k, x = {1}}\n", "BibTeX",
                ["--no-header", "--columns=a,b", "--number-elements", "--repair"]
            ),
            ("a.ris", "TY  - A\nER  - \n", "RIS", ["--skip-lines=1", "--columns=a", "--arrays=text"]),
            (
                "a.opml", "<opml><body><outline text=\"a\"/></body></opml>", "OPML",
                ["--columns=a", "--number-elements"]
            ),
            (
                "a.xml", "<record><controlfield tag=\"001\">7</controlfield></record>", "MARCXML",
                ["--no-header", "--map-path=/a=/b"]
            ),
        ])
    func `options without an effect on a format are named with it`(
        name: String, text: String, format: String, options: [String]
    ) throws {
        let file = try LibraryImportFile(name, text)
        let run = try file.run(options)
        #expect(run.status == 0, "\(run)")
        let names = options.map { String($0.prefix { $0 != "=" }) }
        let notes = run.errors.split(separator: "\n").filter { $0.contains("no effect") }
        try #require(notes.count == 1, "\(run)")
        #expect(notes[0].contains("because “\(file.path)” is \(format)."), "\(notes)")
        let named = notes[0].split(whereSeparator: { " ,".contains($0) }).filter { $0.hasPrefix("--") }
        #expect(Set(named.map(String.init)) == Set(names))
    }

    @Test(
        arguments: [
            ("a.csv", "x\na,b\n1,2\n#\n3,4\n", ["--header-line=2", "--comment=#", "--number-columns"]),
            ("a.json", "[{\"a\": [1]}]", ["--arrays=text"]),
            ("a.json", "[{\"a\": [1]}]", ["--number-elements"]),
            ("a.ris", "TY  - A\nER  - \n", ["--number-elements"]),
            ("a.opml", "<opml><body><outline text=\"a\"/></body></opml>", ["--repair"]),
            ("Library.xml", library, ["--at=Track", "--map-path=/a=/b", "--repair"]),
            (
                "a.xml", "<record><controlfield tag=\"001\">7</controlfield></record>",
                ["--columns=001", "--number-elements", "--repair"]
            ),
        ])
    func `options with an effect are not named`(name: String, text: String, options: [String]) throws {
        let run = try LibraryImportFile(name, text).run(options)
        #expect(run.status == 0 && !run.errors.contains("no effect"), "\(run)")
    }

    @Test(
        arguments: [
            ("a.json", "[{\"a\": 1},\n{\"a\": 2}]", "JSON"),
            ("a.bib", "@a{k, x = {1}}\n@b{k, y = {1}}\n", "BibTeX"),
        ])
    func `a delimiter for a file of another format is named`(name: String, text: String, format: String)
        throws
    {
        let run = try LibraryImportFile(name, text).run(["--delimiter=|"])
        #expect(
            run.errors.contains("looks like \(format), and is read as CSV because of --delimiter"), "\(run)")
        let table = try LibraryImportFile("[a],b\n1,2\n").run(["--delimiter=comma"])
        #expect(table.status == 0 && !table.errors.contains("looks like"), "\(table)")
    }

    @Test func `an array of a file that is no JSON is refused with the option`() throws {
        for text in ["a,b\n1,2\n", "x\n[1]\n"] {
            let file = try LibraryImportFile(text)
            try file.run(["--at", "items"]).expectRefusal(saying: "leave --at out")
        }
    }

    @Test func `names of columns in several options are joined`() throws {
        let file = try LibraryImportFile("1,2,3\n4,5,6\n")
        let run = try file.run(["--no-header", "--columns", "a,b", "--columns", "#\"c,d\""])
        #expect(run.status == 0, "\(run)")
        #expect(
            try file.rows("Book", ["c,d", "a"]) == [[.integer(3), .integer(1)], [.integer(6), .integer(4)]])
        let short = try LibraryImportFile("1,2,3\n").run([
            "--no-header", "--columns", "a,b", "--columns", "c,d",
        ])
        #expect(short.status != 0 && short.errors.contains("--columns has 4 names"), "\(short)")
    }

    @Test(arguments: ["--key", "--entity", "--delimiter", "--encoding", "--comment", "--header-line"])
    func `an option with one value that is given twice is refused`(option: String) throws {
        let value = option == "--header-line" ? "1" : option == "--encoding" ? "UTF-8" : "a"
        let file = try LibraryImportFile("a,b\n1,2\n")
        for arguments in [[option, value, option, value], ["\(option)=\(value)", option, value]] {
            let run = try file.run(arguments)
            #expect(run.status == 64 && run.errors.contains("\(option) is given 2 times"), "\(run)")
        }
        #expect(!file.storeExists)
    }

    @Test func `text above references is reported, and references with other tags are bad`() throws {
        let file = try LibraryImportFile(
            "refs.bib",
            "Made by X, with care.\nVersion 2\n@article{a, title = {A}}\n% @article{b, title = {B}}\n")
        let run = try file.run()
        #expect(run.status == 0 && run.errors.contains("without the 2 lines above its first entry"), "\(run)")
        #expect(run.errors.contains("in line 4 looks like an entry"), "\(run)")
        #expect(try file.rows("Refs", ["title"]) == [[.text("A")]])
        let list = try LibraryImportFile("refs.ris", "TY  - A\nAU- x\nER  - \nTY  - B\nAU  - y\nER  - \n")
        #expect(try list.counts(status: 1) == LibraryImportCounts(inserted: 1, skipped: 1))
    }
}
