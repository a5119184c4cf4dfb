import Foundation
import Testing

/// The live list in a terminal, while other processes write to its store.
@Suite(.enabled(if: TmuxSession.isAvailable, TmuxSession.reason), .serialized)
struct LiveBrowserTests {
    private let works: WorksOnScreen
    /// The number of lines of the screen that show the table.
    private let height = 28

    init() throws { works = try WorksOnScreen() }

    private func start(_ options: String = "") throws -> TmuxSession {
        try TmuxSession(works.directory, try works.command(options))
    }

    /// Waits until the screen shows the list that another program reads, from the first line that begins with
    /// a text.
    private func waitForList(
        _ session: TmuxSession, from first: String? = nil, height: Int = 28,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let sections = try works.sections()
        let header = first.flatMap { first in
            WorksOnScreen.lines(sections).firstIndex { $0.hasPrefix(first) }
        }
        try session.wait(for: "the list from \(first ?? "its beginning")", sourceLocation: sourceLocation) {
            WorksOnScreen.isList($0, sections, from: (header ?? 0) + 1, height: height)
        }
    }

    /// Waits until the screen shows the end of the list that another program reads.
    private func waitForEnd(
        _ session: TmuxSession, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let sections = try works.sections()
        let lines = WorksOnScreen.lines(sections)
        var start = lines.count - height + 2
        // The first line is a header that stays, and the line below it is a row.
        if !lines[start].hasPrefix("  ") { start += 1 }
        try session.wait(for: "the end of the list", sourceLocation: sourceLocation) {
            WorksOnScreen.isList($0, sections, from: start, height: height)
        }
    }

    private func quit(_ session: TmuxSession, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try session.press("q")
        try expectEnd(session, status: 0, sourceLocation: sourceLocation)
    }

    /// Checks that the program ended with this status, and that the terminal has its previous contents and
    /// settings.
    private func expectEnd(
        _ session: TmuxSession, status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let lines = try session.wait(for: "the exit status", sourceLocation: sourceLocation) {
            $0.contains { $0.hasPrefix("exit status") }
        }
        #expect(lines.prefix(2) == ["before", "exit status \(status)"], sourceLocation: sourceLocation)
        let settings = { try String(contentsOf: works.directory.file($0), encoding: .utf8) }
        try session.wait(for: "the shell again", sourceLocation: sourceLocation) { _ in
            try FileManager.default.fileExists(atPath: works.directory.path("settings-after"))
                && !settings("settings-after").isEmpty
        }
        #expect(try settings("settings-after") == settings("settings-before"), sourceLocation: sourceLocation)
    }

    @Test func `headers, rows and index bar are those of the store at every position`() throws {
        let session = try start()
        try waitForList(session)
        let sections = try works.sections()
        let rows = sections.reduce(0) { $0 + $1.titles.count }
        let screen = try session.screen()
        #expect(screen[28].hasPrefix(" \(rows) rows · \(sections.count) sections · cache miss · 0 batches"))
        var titles: [String] = []
        for section in sections where titles.last != String(section.name.prefix(1)) {
            titles.append(String(section.name.prefix(1)))
        }
        #expect(screen.dropFirst().prefix(titles.count).map { String($0.suffix(1)) } == titles)
        try session.type("'j")
        try waitForList(session, from: "Japanese")
        // The current title of the bar and the chosen row are marked.
        let styled = try session.screen(styled: true)
        #expect(styled.contains { $0.contains("\u{1B}[7mJ") }, "\(styled)")
        #expect(styled[2].hasPrefix("\u{1B}[7m> "))
        try session.press("End")
        try waitForEnd(session)
        try session.press("Home")
        try waitForList(session)
        try session.type("?")
        try session.wait(for: "the help") { $0[0] == "Keys" }
        try session.type("?")
        try waitForList(session)
        try quit(session)
        // The sections were saved when the program ended.
        let again = try start()
        try again.wait(for: "a hit") { $0[28].contains("cache hit") }
        try quit(again)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a search finds rows with each typed character, and goes on from row to row`() throws {
        let session = try start()
        try waitForList(session)
        func chosen() throws -> String {
            try session.screen(styled: true).prefix(height).first { $0.hasPrefix("\u{1B}[7m> ") } ?? ""
        }
        try session.type("/the r")
        let count = try ForeignWriter.run(
            "SELECT count(*) FROM Work WHERE title LIKE '%the r%'", on: works.store)
        let number = try #require(Int(count.filter(\.isNumber)))
        #expect(number > 1)
        try session.wait(for: "how many are found") { $0[29] == "/the r_  \(number) found" }
        let expected = try works.sections().flatMap(\.titles).filter { $0.lowercased().contains("the r") }
        #expect(try chosen().contains(expected[0]))
        try session.press("Enter")
        for title in expected.dropFirst() + expected.prefix(1) {
            try session.type("n")
            try session.wait(for: "\(title)") { _ in try chosen().contains(title) }
        }
        for title in expected.reversed() {
            try session.type("N")
            try session.wait(for: "\(title)") { _ in try chosen().contains(title) }
        }
        try session.type("/no such title")
        try session.wait(for: "that nothing is found") { $0[29] == "/no such title_  0 found" }
        try session.press("Escape")
        try session.wait(for: "the row from before") { _ in try chosen().contains(expected[0]) }
        try quit(session)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `changes of other programs are applied to the screen`() throws {
        let session = try start()
        try waitForList(session)
        let edits = [
            // A section is renamed, one is deleted, one is inserted, and rows change their sections and their
            // order.
            "UPDATE Work SET language = 'Akkadisch' WHERE language = 'Akkadian'",
            "DELETE FROM Work WHERE language = 'Albanian'",
            "INSERT INTO Work (title, language, genre) VALUES ('first', 'AAA', 'x'), ('second', 'AAA', 'x')",
            "UPDATE Work SET language = 'AAA' WHERE language = 'Arabic'",
            "UPDATE Work SET title = '0' || title WHERE language = 'AAA' AND title > 'a'",
            "DELETE FROM Work WHERE language = 'AAA'; UPDATE Work SET title = title || '!' WHERE language < 'D'",
        ]
        for edit in edits {
            try ForeignWriter.run(edit, on: works.store)
            try waitForList(session)
        }
        // A second process imports rows with hostile names, and a third process deletes rows.
        let hostile = "\u{1B}[2J\u{1B}[31mred\u{7}\nline"
        var file = "title,author,year,language,genre\n\"\(hostile)\",,,\"\(hostile)\",x\n漢字漢字,,,漢,x\n"
        for number in 0..<3_000 { file += "Title \(number),Author \(number % 50),,L\(number % 97),x\n" }
        try Data(file.utf8).write(to: works.directory.file("more.csv"))
        try works.importWorks(from: works.directory.path("more.csv"))
        try ForeignWriter.run("DELETE FROM Work WHERE title LIKE 'Title 1%'", on: works.store)
        try waitForList(session)
        let screen = try session.screen()
        #expect(screen[1].hasPrefix("\\u{1B}[2J\\u{1B}[31mred\\u{7}\\nline  1"))
        #expect(screen[29].hasPrefix("Last change: "))
        try session.type("'漢")
        try session.press("End")
        try waitForEnd(session)
        try quit(session)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `changes above the screen do not move the rows on it`() throws {
        let session = try start()
        try waitForList(session)
        try session.type("'j")
        try waitForList(session, from: "Japanese")
        try ForeignWriter.run(
            "INSERT INTO Work (title, language) SELECT 'new', 'English' FROM Work LIMIT 50; DELETE FROM Work WHERE language = 'Arabic'",
            on: works.store)
        let total = try ForeignWriter.run("SELECT count(*) FROM Work", on: works.store).filter(\.isNumber)
        try session.wait(for: "the new count") { $0[28].hasPrefix(" \(total) rows") }
        try waitForList(session, from: "Japanese")
        // The row at the top is deleted, and the next one moves up.
        try ForeignWriter.run(
            "DELETE FROM Work WHERE objectID = (SELECT objectID FROM Work WHERE language = 'Japanese' ORDER BY title, objectID LIMIT 1)",
            on: works.store)
        try waitForList(session, from: "Japanese")
        #expect(try session.screen()[29] == "Last change: −1 row")
        try quit(session)
    }

    @Test func `the screen fits a terminal that is resized`() throws {
        let session = try start()
        try waitForList(session)
        for (width, height) in [(50, 12), (120, 40), (30, 5), (100, 30)] {
            try session.resize(width: width, height: height)
            let sections = try works.sections()
            let screen = try session.wait(for: "\(height) lines") { screen in
                let fits = screen.count >= height && screen[height - 2].contains(" rows · ".prefix(6))
                return fits && WorksOnScreen.isList(screen, sections, from: 1, height: height - 2)
            }
            #expect(screen[height - 1].hasPrefix("? shows the keys"))
        }
        try quit(session)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `Enter shows all values and related objects, and numbers are searched as shown`() throws {
        let tool = try ToolProcess.path("library-browser")
        let session = try TmuxSession(
            works.directory,
            "'\(tool)' works.store --entity Work --sort title --columns title,year,author.name,genre,language,objectID --live"
        )
        try session.wait(for: "the titles") {
            $0[0].hasPrefix("  title") && $0[0].contains("author.name") && $0[1].hasPrefix("> ")
        }
        let row = try ForeignWriter.run(
            "SELECT w.title, w.year, a.name, a.objectID, (SELECT count(*) FROM Work x WHERE x.author = a.objectID) FROM Work w JOIN Author a ON a.objectID = w.author WHERE w.year > 1000 AND length(a.name) < 30 AND length(w.title) < 60 ORDER BY length(w.title) DESC, w.title LIMIT 1",
            on: works.store)
        let fields = row.trimmingCharacters(in: .newlines).split(separator: "|").map(String.init)
        try #require(fields.count == 5)
        let first = try ForeignWriter.run(
            "SELECT title FROM Work WHERE year LIKE '%\(fields[1])%' OR title LIKE '%\(fields[1])%' OR objectID LIKE '%\(fields[1])%' ORDER BY title, objectID LIMIT 1",
            on: works.store
        ).trimmingCharacters(in: .newlines)
        try session.type("/\(fields[1])")
        try session.wait(for: "the year") { $0.contains { $0.hasPrefix("> " + first.prefix(15)) } }
        try session.press("Escape")
        // Pasted at once, the search ends before the row is chosen.
        try session.type("/\(fields[0])\n")
        try session.wait(for: "the row") { $0.contains { $0.hasPrefix("> " + fields[0].prefix(15)) } }
        try session.press("l")
        try session.wait(for: "the first column hidden") {
            $0[0].hasPrefix("‹ ") && !$0[0].contains("title")
                && $0.contains { $0.hasPrefix("> ") && $0.contains(fields[1]) }
        }
        try session.press("h")
        try session.press("Enter")
        let details = try session.wait(for: "the details") {
            $0[0].hasPrefix("Work/") && $0[29].hasPrefix("Enter goes to")
        }
        #expect(details.contains { $0.dropFirst(2).hasPrefix("title") && $0.contains(fields[0].prefix(15)) })
        #expect(
            details.contains {
                $0.hasPrefix("  author") && $0.contains("\(fields[2])  (Author/\(fields[3]))")
            })
        let line = try #require(details.firstIndex { $0.hasPrefix("  author") })
        for _ in 1..<line { try session.press("j") }
        try session.press("Enter")
        try session.wait(for: "the author") {
            $0[0] == "Author/\(fields[3])"
                && $0.contains { $0.contains("\(fields[4]) object") && $0.contains("of Work") }
        }
        try session.press("Escape")
        try session.wait(for: "the work again") { $0[0].hasPrefix("Work/") && $0[line].hasPrefix("> author") }
        try session.press("BSpace")
        try session.wait(for: "the list") { $0[0].hasPrefix("  title") }
        try session.type("s")
        try session.wait(for: "the status") { $0[0] == "Status" && $0[1].contains(" rows · no cache") }
        try session.type("x")
        try session.wait(for: "the list") { $0[0].hasPrefix("  title") }
        // Ctrl-Z restores the terminal, and fg draws the list again.
        try session.press("C-z")
        try session.wait(for: "the shell") { $0[0] == "before" && !$0.contains { $0.hasPrefix("  title") } }
        try session.type("fg; printf 'exit status %s\\n' $?\n")
        try session.wait(for: "the list") { $0[0].hasPrefix("  title") }
        // The log disappears while it is in use.
        try ForeignWriter.run(
            "UPDATE Work SET genre = genre || '!' WHERE year = \(fields[1])", on: works.store)
        try session.wait(for: "the change") { $0[28].contains("1 batch") }
        try FileManager.default.removeItem(atPath: works.store + "-wal")
        try session.wait(for: "the missing log") { $0[29].hasPrefix("Changes cannot be followed: The log") }
        #expect(try session.screen()[29].hasSuffix("… s: all"))
        try session.type("s")
        try session.wait(for: "the whole message") { $0.contains { $0.contains("integrity_check") } }
        try session.type("xq")
        try session.wait(for: "the end") { $0.contains { $0.hasPrefix("exit status 0") } }
    }

    @Test(arguments: [("TERM", 143), ("INT", 130), ("HUP", 129)])
    func `a signal ends the program and restores the terminal`(signal: String, status: Int) throws {
        let session = try start()
        try waitForList(session)
        try session.signal(signal)
        try expectEnd(session, status: status)
    }

    @Test func `Ctrl-C ends the program like the signal`() throws {
        let session = try start()
        try waitForList(session)
        try session.press("C-c")
        try expectEnd(session, status: 130)
    }

    @Test func `--live is refused without a terminal`() throws {
        let run = try ToolProcess.run("library-browser", [works.store, "--live"])
        run.expectRefusal(saying: "--live needs a terminal, and standard input is not a terminal.")
        let usage = try ToolProcess.run("library-browser", [works.store, "--live", "--json"])
        usage.expectRefusal(status: 64, saying: "--live shows the whole list.")
    }
}
