import CheckSupport
import Foundation
import Testing

/// `benchmark-report` writes the results of the benchmarks as a page. Python reads the results and the page.
@Suite(.enabled(if: Python.path != nil, "SKIPPED: python3 is not on the search path."))
struct BenchmarkReportTests {
    private static func report(_ scratch: ScratchDirectory) throws -> ToolRun {
        try ToolProcess.run("benchmark-report", [scratch.url.path])
    }

    /// Checks the page of results with a program of Python, and returns the lines that the program prints.
    private static func check(_ program: String, _ scratch: ScratchDirectory) throws -> [String] {
        try Python.lines(of: ReportedResults.reading + program, scratch.url.path)
    }

    @Test func `the page has each measured number with its spread, and no other`() async throws {
        let scratch = try await ReportedResults.directory()
        let run = try Self.report(scratch)
        try #require(run.status == 0 && run.errors == "", "\(run)")
        let lines = try Self.check(ReportedResults.comparison, scratch)
        #expect(lines.filter { !$0.hasPrefix("compared ") } == [])
        // Quantities of starts, changes and the other programs.
        let count = try #require(lines.last.flatMap { Int($0.dropFirst("compared ".count)) })
        #expect(count > 200, "\(lines)")
    }

    @Test func `the page is well-formed, needs no other file, and follows the reader's colours`()
        async throws
    {
        let scratch = try await ReportedResults.directory()
        try #require(try Self.report(scratch).status == 0)
        let lines = try Self.check(
            """
            source = open(sys.argv[1] + "/index.html", encoding="utf-8").read()
            for text in ["<script", "<link", "<img", "url(", "@import", "src="]:
                if text in source: print("has", text)
            for element in page.iter():
                for name, value in element.attrib.items():
                    if name == "href" and not value.startswith("#"): print("leads to", value)
            if "@media (prefers-color-scheme: dark)" not in source: print("no dark colours")
            identifiers = [e.get("id") for e in page.iter() if e.get("id")]
            if len(set(identifiers)) != len(identifiers): print("identifiers twice", identifiers)
            for link in page.iter(html + "a"):
                if link.get("href")[1:] not in identifiers: print("no section", link.get("href"))
            drawings = list(page.iter(svg + "svg"))
            for drawing in drawings:
                names = drawing.get("aria-labelledby", "").split()
                if drawing.get("role") != "img" or len(names) != 2: print("no title", drawing.attrib)
                titles = [e for e in drawing.iter() if e.get("id") in names and e.text]
                if len(titles) != 2: print("no texts for", names)
            for table in page.iter(html + "table"):
                if not table.get("aria-label"): print("a table without a name")
            scrolling = [e for e in page.iter(html + "div") if e.get("class", "").startswith("scroll")]
            if len(scrolling) != len(list(page.iter(html + "table"))): print("a table that does not scroll")
            print("drawings", len(drawings) > 6)

            """, scratch)
        #expect(lines == ["drawings True"])
    }

    @Test func `a benchmark without results is named on the page and in the messages`() async throws {
        let scratch = try await ReportedResults.directory()
        try FileManager.default.removeItem(at: scratch.file("windows.json"))
        try Data("[1, 2]".utf8).write(to: scratch.file("objects.json"))
        let run = try Self.report(scratch)
        #expect(run.status == 1, "\(run)")
        for message in ["missing: windows.json does not exist", "missing: objects.json is not a document"] {
            #expect(run.errors.contains("benchmark-report: \(message)"), "\(run)")
        }
        let listed = try Self.check(
            """
            for item in page.iter(html + "li"): print(text(item)[:28])

            """, scratch)
        #expect(listed == ["windows.json does not exist:", "objects.json is not a docume"])
    }

    @Test func `a quantity that is missing in a document is named, and its cell says so`() async throws {
        let scratch = try await ReportedResults.directory()
        let listed = try Self.check(
            """
            document = documents["cold-start"]
            document["quantities"] = [
                q for q in document["quantities"]
                if q["name"] != "import.python" and not (
                    q["name"] == "start.plain.records.inside" and q["conditions"]["rows"] == 300)]
            json.dump(document, open(sys.argv[1] + "/cold-start.json", "w"))

            """, scratch)
        #expect(listed == [])
        let run = try Self.report(scratch)
        #expect(run.status == 1, "\(run)")
        let cells = try Self.check(
            """
            for item in page.iter(html + "li"): print(text(item))
            for row in page.iter(html + "tr"):
                if "not measured" in [text(cell) for cell in row]: print(text(row[0]))

            """, scratch)
        #expect(
            cells == [
                "start.plain.records.inside (rows 300, sections 27)",
                "start.plain.records.inside (rows 300, sections 40)", "import.python",
                "GRDB: records, grouped in Swift", "GRDB: records, grouped in Swift", "import.python",
            ], "\(run)")
        #expect(run.errors.contains("missing: import.python\n"), "\(run)")
    }

    @Test func `texts of the results are escaped`() async throws {
        let scratch = try await ReportedResults.directory()
        let strange = "<script>alert(\"&amp;\")</script> & 'x' ]]> \u{1}"
        let changed = try Self.check(
            """
            document = documents["main-actor"]
            for quantity in document["quantities"]: quantity["title"] = \(ReportedResults.literal(strange))
            document["arguments"] = [\(ReportedResults.literal(strange))]
            json.dump(document, open(sys.argv[1] + "/main-actor.json", "w"))

            """, scratch)
        #expect(changed == [])
        let machine = try String(contentsOf: scratch.file("machine.txt"), encoding: .utf8)
        try Data(machine.replacing("\tabc1234", with: "\t\(strange)").utf8)
            .write(to: scratch.file("machine.txt"))
        let run = try Self.report(scratch)
        #expect(run.status == 0, "\(run)")
        let shown = try Self.check(
            """
            strange = \(ReportedResults.literal(strange)).replace("\\x01", "\\ufffd")
            print(len([e for e in page.iter() if e.tag.endswith("script")]))
            print(len([e for e in page.iter() if e.text == strange]) > 8)
            print(len([e for e in page.iter(html + "header") if strange in text(e)]))

            """, scratch)
        #expect(shown == ["0", "True", "1"])
    }

    @Test func `a machine that is not described is missing`() async throws {
        let scratch = try await ReportedResults.directory()
        try FileManager.default.removeItem(at: scratch.file("machine.txt"))
        let run = try Self.report(scratch)
        #expect(run.status == 1, "\(run)")
        for name in ["processor", "kernel", "file system", "Swift", "SQLite", "LMDB", "GRDB", "commit"] {
            #expect(run.errors.contains("missing: \(name) in machine.txt\n"), "\(run)")
        }
    }

    @Test func `a directory that does not exist ends with status 2`() throws {
        let scratch = try ScratchDirectory()
        let run = try ToolProcess.run("benchmark-report", [scratch.path("none")])
        #expect(run.status == 2 && run.output == "", "\(run)")
        #expect(run.errors.contains("index.html” cannot be written"), "\(run)")
    }
}
