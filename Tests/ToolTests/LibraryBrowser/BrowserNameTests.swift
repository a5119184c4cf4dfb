import Foundation
import SectionedFetch
import Testing

@testable import ToolSupport

/// Names of properties and sections, and the layout of the rows.
@Suite struct BrowserNameTests {
    private func browse(_ file: LibraryImportFile, _ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-browser", [file.storePath] + arguments)
    }

    private func sections(_ run: ToolRun) throws -> [[String: Any]] {
        try #require(try run.jsonObject()["sections"] as? [[String: Any]])
    }

    @Test func `a property with a colon can be written in every option, in one way`() throws {
        let file = try LibraryImportFile("dc:title,dc:date\nAlpha,1990\nBeta,1991\nAda,1990\n")
        #expect(try file.run().status == 0)
        let model = try file.openStore().model
        let names = try #require(model.entities.first).attributes.map(\.name)
        let (title, date) = (names[0], names[1])
        for quoted in [[title, date], [title, date].map { "#\"\($0)\"" }] {
            let list = try browse(
                file, "--group-by", quoted[1], "--name-by", quoted[1], "--subgroup-by", "letter:" + quoted[0],
                "--subgroup-name-by", "letter:" + quoted[0], "--sort", "\(quoted[1]),letter:\(quoted[0])",
                "--columns", "\(quoted[0]),\(quoted[1])", "--where", "\(quoted[1])=1990", "--json")
            let parts = try #require(try sections(list).first?["subsections"] as? [[String: Any]])
            let rows = parts.flatMap { $0["rows"] as? [[String: Any]] ?? [] }
            #expect(rows.map { $0[title] as? String } == ["Alpha", "Ada"])
        }
        #expect(
            try sections(browse(file, "--where", "#\"\(title)\" = \"Beta\" OR #\"\(date)\" > 2000", "--json"))
                .map { $0["numberOfRows"] as? Int } == [1])
        try browse(file, "--group-by", "dc:nothing").expectRefusal(
            status: 64, saying: "“dc” is not a form of keys", "“nothing” is an unknown option")
    }

    @Test func `nil, the empty text and the text nil are different sections in JSON`() throws {
        let file = try LibraryImportFile(
            "three.jsonl", "{\"a\":null,\"b\":1}\n{\"a\":\"\",\"b\":2}\n{\"a\":\"nil\",\"b\":3}\n")
        #expect(try file.run().status == 0)
        let all = try sections(browse(file, "--group-by", "a", "--json"))
        #expect(all.map { $0["name"] as? String } == [nil, "", "nil"])
        #expect(all.map { $0["name"] is NSNull } == [true, false, false])
        #expect(all.map { $0["key"] as? String } == [nil, "", "nil"])
        for (section, number) in [("nil", 1), ("", 2), ("\"\"", 2), ("\"nil\"", 3)] {
            let found = try sections(browse(file, "--group-by", "a", "--section", section, "--json"))
            let rows = found.flatMap { $0["rows"] as? [[String: Any]] ?? [] }
            #expect(rows.map { $0["b"] as? Int } == [number], "\(section)")
            // By its key, where sections have another name.
            let named = try sections(
                browse(file, "--group-by", "a", "--name-by", "b", "--section", section, "--json"))
            #expect(named.map { $0["name"] as? String } == ["\(number)"], "\(section)")
        }
        let text = try browse(file, "--group-by", "a", "--columns", "a,b")
        #expect(
            text.lines.filter { $0.hasSuffix("  1") && !$0.hasPrefix(" ") } == [
                "nil  1", "\"\"  1", "\"nil\"  1",
            ])
    }

    @Test func `Boolean values and dates have the form of their type in titles and conditions`() throws {
        let store = try BookStore()
        let counts = [false, true].map { isRead in store.books.count { $0.isRead == isRead } }
        let request = ["--group-by", "isRead", "--where", "added>=2001-02-01", "--where", "isRead != nil"]
        let run = try ToolProcess.run("library-browser", [store.path, "--rows", "0"] + request)
        #expect(
            run.lines[0].hasPrefix(
                "Book where added >= \"2001-02-01T00:00:00Z\" AND isRead != nil by isRead, "), "\(run)")
        let titles = try store.browse("--group-by", "isRead", "--rows", "0").lines
        #expect(titles.contains("false  \(counts[0])") && titles.contains("true  \(counts[1])"))
        let condition = try store.browse("--where", "isRead=true OR added IN {2001-02-01}", "--rows", "0")
        #expect(
            condition.lines[0].hasPrefix(
                "Book where isRead == \"true\" OR added IN {\"2001-02-01T00:00:00Z\"} by objectID"),
            "\(condition)")
        let again = try store.browse(
            "--where", "isRead == \"true\" OR added IN {\"2001-02-01T00:00:00Z\"}", "--rows", "0")
        #expect(again.lines[0] == condition.lines[0])
        // The other forms of a section's name have the titles of the type as well.
        let named = try store.browse("--group-by", "title", "--name-by", "isRead", "--rows", "0").lines
        #expect(named.count { $0 == "true  1" } == counts[1])
        let combined = try store.browse("--group-by", "isRead,language", "--rows", "0").lines
        #expect(combined.contains { $0.hasPrefix("true, German  ") })
        let nested = try store.browse("--group-by", "language", "--subgroup-by", "isRead", "--rows", "0")
            .lines
        #expect(
            nested.contains { $0.hasPrefix("    true  ") } && nested.contains { $0.hasPrefix("    false  ") })
        // A number is no Boolean value, and the machine's form is not changed.
        let number = try store.browse("--group-by", "books.@count", "--entity", "Author", "--rows", "0")
        #expect(!number.output.contains("true"))
        let json = try sections(store.browse("--group-by", "isRead", "--json", "--rows", "0"))
        #expect(json.map { $0["name"] as? String } == ["0", "1"])
        #expect(json.map { $0["key"] as? Bool } == [false, true])
    }

    @Test func `columns without a name, or with one twice, are refused`() throws {
        let store = try BookStore()
        for columns in ["", "title,", ",title", "title,,year"] {
            for format in [[], ["--json"], ["--format", "csv"]] {
                try ToolProcess.run("library-browser", [store.path, "--columns", columns] + format)
                    .expectRefusal(status: 64, saying: "contains an empty name")
            }
        }
        for columns in ["title,title", "title,year,#title", "title, title"] {
            try store.browse("--columns", columns, "--format", "csv").expectRefusal(
                status: 64, saying: "names “title” twice")
        }
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `an infinite number differs from no value in JSON`() throws {
        let store = try BookStore()
        try ForeignWriter.run(
            "UPDATE Book SET rating = 1e999 WHERE objectID = 1; UPDATE Book SET rating = -1e999 WHERE objectID = 2; UPDATE Book SET rating = NULL WHERE objectID = 3",
            on: store.path)
        let list = try sections(
            store.browse(
                "--json", "--group-by", "rating", "--columns", "objectID,rating", "--where", "objectID<=3"))
        #expect(list.map { $0["key"] as? String } == [nil, "-inf", "inf"])
        let rows = list.flatMap { $0["rows"] as? [[String: Any]] ?? [] }
        #expect(rows.map { $0["rating"] as? String } == [nil, "-inf", "inf"])
        let exported = try store.browse(
            "--format", "jsonl", "--columns", "rating", "--where", "objectID<=3", "--sort", "rating")
        #expect(
            exported.lines.prefix(3) == [
                "{\"rating\":null}", "{\"rating\":\"-inf\"}", "{\"rating\":\"inf\"}",
            ])
    }

    @Test func `a section is chosen by its key in the form of its type`() throws {
        let store = try BookStore()
        func titles(_ arguments: String...) throws -> [String] {
            let run = try ToolProcess.run(
                "library-browser", [store.path, "--columns", "title", "--json"] + arguments)
            return try sections(run).flatMap { $0["rows"] as? [[String: Any]] ?? [] }.compactMap {
                $0["title"] as? String
            }
        }
        #expect(
            try titles("--group-by", "author", "--name-by", "author.name", "--section", "Author/1")
                == store.books.filter { $0.author == "Ada" }.map(\.title))
        #expect(
            try titles("--group-by", "isRead", "--section", "true")
                == store.books.filter(\.isRead).map(\.title))
        #expect(
            try titles("--group-by", "isRead,year", "--section", "true, nil")
                == store.books.filter { $0.isRead && $0.year == nil }.map(\.title))
    }

    @Test func `texts that differ in case and accents share a section of a folded key`() throws {
        let file = try LibraryImportFile("artist,track\nABBA,a\nAbba,b\nabba,c\nABBA,d\nÀbba,e\n")
        #expect(try file.run().status == 0)
        let list = try sections(browse(file, "--group-by", "folded:artist", "--json"))
        #expect(list.map { $0["numberOfRows"] as? Int } == [5])
    }

    @Test func `the columns have titles above the rows, aligned with the first screen of rows`() throws {
        let store = try BookStore()
        let run = try store.browse("--group-by", "language", "--columns", "title,year", "--rows", "2")
        let rows = run.lines.filter { $0.hasPrefix("    ") }
        let title = try #require(rows.first)
        #expect(title.hasPrefix("    title ") && title.hasSuffix("  year"), "\(run)")
        // Numbers end below the end of their title.
        let first = rows.dropFirst().filter { $0.contains("19") && $0.unicodeScalars.allSatisfy(\.isASCII) }
        #expect(!first.isEmpty && first.allSatisfy { $0.utf8.count == title.utf8.count }, "\(run)")
        #expect(try store.browse("--where", "year = 1").lines.allSatisfy { !$0.hasPrefix("    ") })
    }

    @Test func `a short column is never cut beside a long one`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let widths = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                Int.random(in: 1...60, using: &random)
            }
            let limit = Int.random(in: 20...120, using: &random)
            var table = TextTable(alignments: widths.map { _ in .left })
            let line = table.lines([widths.map { String(repeating: "x", count: $0) }], maximumWidth: limit)[0]
            let cells = line.split(separator: "  ").map(String.init)
            #expect(line.count <= limit && cells.count == widths.count, "\(widths) \(limit)")
            let whole = widths.reduce(2 * (widths.count - 1), +)
            guard whole > limit else {
                #expect(cells.map(\.count) == widths)
                continue
            }
            #expect(line.count == limit, "\(widths) \(limit)")
            // No cut column is narrower than a column that is shown whole, and cut ones differ by one.
            let cut = cells.filter { $0.hasSuffix("…") }.map(\.count)
            let kept = cells.filter { !$0.hasSuffix("…") }.map(\.count)
            #expect((cut.max() ?? 0) - (cut.min() ?? 0) <= 1, "\(widths) \(limit)")
            #expect((kept.max() ?? 0) <= (cut.max() ?? 0) + 1, "\(widths) \(limit)")
        }
    }
}
