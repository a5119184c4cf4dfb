import Foundation
import Testing

@Suite struct BrowserListingTests {
    @Test func `sections, counts and rows are those of the data`() throws {
        let store = try BookStore()
        let run = try store.browse(
            "--group-by", "language", "--rows", "2", "--columns", "title,year", "--json")
        let list = try run.jsonObject()
        let expected = store.sections { $0.language }
        let sections = try #require(list["sections"] as? [[String: Any]])
        #expect(sections.map { $0["name"] as? String } == expected.map(\.name))
        #expect(sections.map { $0["numberOfRows"] as? Int } == expected.map(\.books.count))
        for (section, (_, books)) in zip(sections, expected) {
            let rows = try #require(section["rows"] as? [[String: Any]])
            #expect(rows.map { $0["title"] as? String } == books.prefix(2).map(\.title))
            #expect(rows.map { $0["year"] as? Int } == books.prefix(2).map(\.year))
        }
        #expect(list["numberOfRows"] as? Int == store.books.count)
        #expect(list["numberOfSections"] as? Int == expected.count)
        #expect(list["cache"] is NSNull)
    }

    private func names(_ store: BookStore, _ arguments: String...) throws -> [String] {
        let run = try ToolProcess.run(
            "library-browser", [store.path, "--cache-directory", store.caches, "--json"] + arguments)
        let sections = try #require(try run.jsonObject()["sections"] as? [[String: Any]], "\(run)")
        return sections.map { $0["name"] as? String ?? "" }
    }

    @Test func `every kind of key lists its sections without an order on the command line`() throws {
        func book(
            _ title: String, _ language: String? = nil, year: Int? = nil, rating: Double? = nil,
            added: Double? = nil
        )
            -> BookStore.Book
        {
            BookStore.Book(
                title: title, language: language, year: year, rating: rating, isRead: true, added: added,
                author: nil)
        }
        let store = try BookStore([
            book("王伟", "Jazz", year: 1949, rating: 0.3, added: 0),
            book("张三", "JAZZ", year: 1950, rating: 9.99),
            book("阿明", "jázz", year: 2000, rating: 10, added: 86_400 * 100),
            book("“Adam”", "rock", rating: -0.01),
        ])
        #expect(try names(store, "--group-by", "index:title:zh") == ["A", "W", "Z"])
        #expect(try names(store, "--group-by", "index:title") == ["A", "张", "王", "阿"])
        #expect(try names(store, "--group-by", "letter:title:zh") == ["#", "A", "W", "Z"])
        #expect(try names(store, "--group-by", "index:title:zh_Hant") == ["4劃", "7劃", "8劃", "A"])
        #expect(try names(store, "--group-by", "folded:language") == ["JAZZ", "rock"])
        #expect(try names(store, "--group-by", "folded:language", "--name-by", "year") == ["1949", ""])
        #expect(
            try names(store, "--group-by", "range:rating:step=10") == ["-10 to 0", "0 to 10", "10 to 20"])
        #expect(
            try names(store, "--group-by", "range:year:bounds=1950/1980/2000") == [
                "", "below 1950", "1950 to 1980", "2000 and above",
            ])
        #expect(
            try names(store, "--group-by", "range:year:step=10", "--sort", "-range:year:step=10") == [
                "2000 to 2010", "1950 to 1960", "1940 to 1950", "",
            ])
        #expect(try names(store, "--group-by", "day:added") == ["", "2001-01-01", "2001-04-11"])
        #expect(
            try names(store, "--group-by", "day:added:America/New_York") == ["", "2000-12-31", "2001-04-10"])
        #expect(try names(store, "--group-by", "week:added") == ["", "2001-W01", "2001-W15"])
        #expect(try names(store, "--group-by", "quarter:added") == ["", "2001-Q1", "2001-Q2"])
        #expect(try names(store, "--group-by", "decade:added") == ["", "2000s"])
        #expect(try names(store, "--sort", "title:indexed=zh") == [""])
    }

    @Test func `the help lists every kind of key`() throws {
        for tool in [["library-browser", "--help"], ["cache-inspector", "verify", "--help"]] {
            let help = try ToolProcess.run(tool[0], Array(tool.dropFirst())).output
            for word in [
                "letter:PROPERTY", "index:PROPERTY", "folded:PROPERTY", "year:PROPERTY", "decade", "quarter",
                "month",
                "week", "day", "range:PROPERTY:step=NUMBER", "range:PROPERTY:bounds=NUMBER/NUMBER",
                ":indexed=LOCALE", "--subgroup-by", "--subgroup-name-by",
            ] { #expect(help.contains(word), "\(tool) \(word)") }
        }
    }

    @Test func `nil, the empty text and the text nil are three sections`() throws {
        let store = try BookStore()
        let list = try store.browse("--group-by", "language", "--json").jsonObject()
        let sections = try #require(list["sections"] as? [[String: Any]])
        let unnamed = sections.filter { $0["name"] is NSNull || $0["name"] as? String == "" }
        #expect(unnamed.count == 2)
        #expect(Set(unnamed.compactMap { $0["identity"] as? String }).count == 2)
        #expect(sections.filter { $0["name"] as? String == "nil" }.count == 1)
    }

    @Test func `nil, the empty text and texts that resemble them are printed differently`() throws {
        // In the order of SQLite, each with its printed form.
        let languages: [(String?, String)] = [
            (nil, "nil"), ("", "\"\""), ("\"\"", "\"\\\"\\\"\""), ("\"Heroes\"", "\"Heroes\""),
            ("\"nil\"", "\"\\\"nil\\\"\""), ("(empty)", "(empty)"), ("nil", "\"nil\""),
        ]
        let store = try BookStore(
            languages.map { language, _ in
                BookStore.Book(
                    title: "T", language: language, year: nil, rating: nil, isRead: true, added: nil,
                    author: nil)
            })
        let run = try store.browse("--group-by", "language", "--columns", "language")
        let shown = languages.map(\.1)
        let rows = run.lines.filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
        #expect(rows == ["language"] + shown, "\(run)")
        #expect(run.lines.filter { $0.hasSuffix("  1") } == shown.map { $0 + "  1" }, "\(run)")
        for (language, shown) in languages {
            let list = try store.browse(
                "--group-by", "language", "--columns", "language", "--section", shown, "--json"
            ).jsonObject()
            let sections = try #require(list["sections"] as? [[String: Any]])
            let rows = sections.flatMap { $0["rows"] as? [[String: Any]] ?? [] }
            #expect(rows.map { $0["language"] as? String } == [language], "\(shown)")
        }
        let byAuthor = try store.browse("--group-by", "language", "--name-by", "author.name")
        #expect(byAuthor.lines.count { $0 == "nil  1" } == languages.count, "\(byAuthor)")
        let byYear = try store.browse("--group-by", "year:added")
        #expect(byYear.lines.contains("nil  7"), "\(byYear)")
    }

    @Test func `the section that --section names is printed with all its rows`() throws {
        let store = try BookStore()
        let expected = store.books.filter { $0.language == "German" }.map(\.title)
        let list = try store.browse(
            "--group-by", "language", "--section", "German", "--columns", "title", "--json"
        )
        .jsonObject()
        let sections = try #require(list["sections"] as? [[String: Any]])
        #expect(sections.count == 1)
        #expect((sections.first?["rows"] as? [[String: String]])?.map { $0["title"] } == expected)
        let run = try store.browse("--group-by", "language", "--section", "German", "--columns", "title")
        #expect(
            run.lines.filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
                == ["title"] + expected.map(printed)
        )
    }

    @Test func `all conditions apply, and the rows have the requested order`() throws {
        let store = try BookStore()
        let run = try store.browse(
            "--where", "year>=1910", "--where", "title^=Zeit", "--sort", "-year", "--columns", "title,year",
            "--rows",
            "100", "--json")
        let expected = store.books.filter { $0.title.hasPrefix("Zeit") && ($0.year ?? 0) >= 1910 }
            .sorted { ($0.year ?? 0) > ($1.year ?? 0) }
        let sections = try #require(try run.jsonObject()["sections"] as? [[String: Any]])
        let rows = try #require(sections.first?["rows"] as? [[String: Any]])
        #expect(!expected.isEmpty)
        #expect(rows.map { $0["title"] as? String } == expected.map(\.title))
    }

    @Test(
        arguments: [
            ("rating=nil", { @Sendable in $0.rating == nil }), ("rating!=nil", { $0.rating != nil }),
            ("isRead=true", { $0.isRead }), ("language=\"nil\"", { $0.language == "nil" }),
            ("author.name=Ada", { $0.author == "Ada" }), ("title*= 1", { $0.title.contains("1") }),
            ("title~^=ZEIT", { $0.title.hasPrefix("Zeit") }), ("title$=7", { $0.title.hasSuffix("7") }),
            ("rating<1.5", { ($0.rating ?? 9) < 1.5 }), ("year!=1907", { $0.year != 1907 }),
            ("year<>1907", { $0.year != 1907 }),
            ("added>=2002-01-01", { ($0.added ?? 0) >= 365 * 86_400 }),
            ("added<2002-01-01T00:00:00Z", { ($0.added ?? 1e9) < 365 * 86_400 }),
        ] as [(String, @Sendable (BookStore.Book) -> Bool)])
    func `a condition selects the rows for which it holds`(
        condition: String, isSelected: @Sendable (BookStore.Book) -> Bool
    ) throws {
        let store = try BookStore()
        let list = try store.browse("--where", condition, "--rows", "100", "--columns", "title", "--json")
            .jsonObject()
        let sections = try #require(list["sections"] as? [[String: Any]])
        let titles = (sections.first?["rows"] as? [[String: String]])?.compactMap { $0["title"] }
        let expected = store.books.filter(isSelected).map(\.title)
        #expect(titles == expected)
        #expect(!expected.isEmpty && expected.count < store.books.count)
    }

    @Test func `sections can be first letters with or without diacritics, years, and months in a time zone`()
        throws
    {
        let store = try BookStore()
        func names(_ key: String) throws -> [String] {
            let list = try store.browse("--group-by", key, "--json").jsonObject()
            return try #require(list["sections"] as? [[String: Any]]).map { $0["name"] as? String ?? "" }
        }
        #expect(try Set(names("letter:title")) == ["#", "A", "E", "L", "Z", "李"])
        let apart = try names("letter:title:fr:apart")
        #expect(Set(apart).isSuperset(of: ["É", "Z"]))
        // Letters with diacritics sort within the alphabet, not after it.
        #expect(
            apart == apart.sorted { $0.compare($1, locale: Locale(identifier: "fr")) == .orderedAscending })
        let years = Set(store.books.map { $0.added.map { 2001 + Int($0 / 86_400 / 365.25) } })
        #expect(try Set(names("year:added")) == Set(years.map { $0.map(String.init) ?? "" }))
        #expect(try names("month:added:Europe/Berlin").contains("2001-02"))
    }

    @Test func `sections can be grouped by one key and named by another`() throws {
        let store = try BookStore()
        let list = try store.browse("--group-by", "author", "--name-by", "author.name", "--json").jsonObject()
        let sections = try #require(list["sections"] as? [[String: Any]])
        #expect(
            sections.map { $0["name"] as? String } == store.sections { $0.author }.map(\.name))
    }

    @Test func `control characters are escaped in text and in JSON`() throws {
        let store = try BookStore()
        for arguments in [[], ["--json"]] {
            let run = try ToolProcess.run(
                "library-browser",
                [store.path, "--group-by", "author.name", "--columns", "title,author.name", "--rows", "100"]
                    + arguments)
            #expect(run.status == 0)
            let unsafe = run.output.unicodeScalars.filter {
                $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value))
            }
            #expect(unsafe.isEmpty)
            #expect(run.output.contains("Mallory"))
        }
        let text = try store.browse("--group-by", "author.name", "--columns", "title", "--rows", "100").output
        #expect(text.contains("\\u{1B}[31mMallory\\u{7}"))
        #expect(text.contains("Line\\nbreak"))
    }

    @Test func `--limit and --offset select a window of the rows`() throws {
        let store = try BookStore()
        let list = try store.browse("--limit", "3", "--offset", "2", "--columns", "title", "--json")
            .jsonObject()
        let sections = try #require(list["sections"] as? [[String: Any]])
        #expect(
            (sections.first?["rows"] as? [[String: String]])?.map { $0["title"] }
                == store.books[2..<5].map(\.title))
        #expect(list["numberOfRows"] as? Int == 3)
    }

    @Test func `the text has the time of the first screen, and no colours in a file`() throws {
        let store = try BookStore()
        let run = try store.browse("--group-by", "language")
        #expect(run.status == 0)
        let last = run.lines.last { !$0.isEmpty } ?? ""
        #expect(last.hasPrefix("First screen after "))
        #expect(last.contains(" since the process began, ") && last.hasSuffix(" since opening the store."))
        #expect(!run.output.contains("\u{1B}"))
        #expect(run.lines.first == "Book by language, in sections by language: 40 rows in 7 sections")
    }

    @Test func `a reader that closes the pipe is no failure, and a full disk is one`() throws {
        let store = try BookStore()
        let tool = try ToolProcess.path("library-browser")
        let shell = URL(filePath: "/bin/sh")
        let piped = try ToolProcess.run(
            executable: shell,
            [
                "-c", "{ \"$0\" \"$1\" --entity Book --rows 100000; echo status $? >&2; } | head -n 1", tool,
                store.path,
            ])
        #expect(piped.errors == "status 0\n")
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let full = try ToolProcess.run(
            executable: shell, ["-c", "\"$0\" \"$1\" > /dev/full", tool, store.path])
        #expect(full.status == 2)
        #expect(full.errors.hasPrefix("library-browser: Standard output cannot be written: "))
    }

    @Test func `an entity is listed by name, and the first one without a name`() throws {
        let store = try BookStore()
        #expect(try store.browse("--rows", "1", "--json").jsonObject()["entity"] as? String == "Book")
        let authors = try store.browse("--entity", "Author", "--json").jsonObject()
        #expect(authors["numberOfRows"] as? Int == Set(store.books.compactMap(\.author)).count)
    }

    private func printed(_ title: String) -> String { title.replacingOccurrences(of: "\n", with: "\\n") }
}
