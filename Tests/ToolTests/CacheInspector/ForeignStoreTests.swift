import Foundation
import Testing

/// Stores of unknown origin, read by the browser and the inspector with the default limits unless a test
/// sets others.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct ForeignStoreTests {
    private let store: BookStore
    private static let grouping = ["--entity", "Book", "--group-by", "language", "--sort", "language"]

    init() throws { store = try BookStore() }

    /// An expression that SQLite evaluates in one step, which takes minutes.
    private static let longStep =
        "replace(printf('%.4000000c', 'a'), printf('%.2000000c', 'a') || 'b', '')"
    /// A query that never ends.
    private static let endless =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    private func change(_ text: String, to other: String) throws {
        func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
        try ForeignWriter.run(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, \(literal(text)), \(literal(other))) WHERE name = 'Book'",
            on: store.path)
    }

    private func browse(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run(
            "library-browser",
            [store.path, "--cache", "c", "--cache-directory", store.caches] + Self.grouping + arguments)
    }

    private func explain(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run(
            "cache-inspector",
            ["explain", "--store", store.path, "--cache", "c", "--cache-directory", store.caches]
                + Self.grouping + arguments)
    }

    @Test func `a constraint that never ends is not evaluated`() throws {
        try change("objectID INTEGER", to: "objectID INTEGER CHECK (\(Self.longStep) IS NOT NULL)")
        #expect(try explain().status == 0)
        #expect(try browse("--json").jsonObject()["numberOfRows"] as? Int == store.books.count)
        #expect(try browse("--json", "--check-all").jsonObject()["numberOfRows"] as? Int == store.books.count)
    }

    @Test(arguments: ["AFTER UPDATE ON sc_gen", "BEFORE UPDATE ON sc_gen", "AFTER INSERT ON sc_epoch"])
    func `a trigger that never ends does not fire when the browser stamps tables`(event: String) throws {
        try ForeignWriter.run(
            "UPDATE sc_gen SET nonce = NULL; CREATE TABLE junk (number); CREATE TRIGGER a \(event) BEGIN INSERT INTO junk \(Self.endless); END",
            on: store.path)
        for _ in 0..<2 {
            #expect(try browse("--json").jsonObject()["numberOfRows"] as? Int == store.books.count)
        }
        #expect(try ForeignWriter.run("SELECT count(*) FROM junk", on: store.path) == "0\n")
    }

    @Test func `a column with one endless step ends the tools with the name of the option that limits it`()
        throws
    {
        try change(
            "\"language\" TEXT", to: "\"language\" TEXT GENERATED ALWAYS AS (\(Self.longStep)) VIRTUAL")
        try browse("--max-seconds", "1").expectRefusal(saying: "processor time", "--max-seconds")
        try explain("--max-seconds", "1").expectRefusal(saying: "processor time", "--max-seconds")
        try browse("--max-seconds", "1", "--check-all").expectRefusal(saying: "--max-seconds")
    }

    @Test func `a column of many steps ends the browser with the name of the option that limits it`() throws {
        let sum = (0..<400).map { "length(hex(zeroblob(2000000 + objectID + \($0))))" }.joined(
            separator: " + ")
        try change("\"language\" TEXT", to: "\"language\" TEXT GENERATED ALWAYS AS (\(sum)) VIRTUAL")
        try browse("--max-seconds", "0.5").expectRefusal(saying: "processor time", "--max-seconds")
    }

    @Test func `a section key that is too long is refused, and read without the limit`() throws {
        try ForeignWriter.run(
            "UPDATE Book SET language = printf('%.2000000c', 'x') WHERE objectID = 1", on: store.path)
        try browse().expectRefusal(saying: "key of a section has 2000000 bytes", "--max-section-key")
        let list = try browse("--max-section-key", "0", "--json").jsonObject()
        #expect(list["numberOfRows"] as? Int == store.books.count)
        // Outside a section key the value is a long text like others.
        let rows = try ToolProcess.run("library-browser", [store.path, "--entity", "Book", "--json"])
        #expect(try rows.jsonObject()["numberOfRows"] as? Int == store.books.count)
    }

    @Test func `a value that is too long is refused, and read without the limit`() throws {
        try ForeignWriter.run(
            "UPDATE Book SET language = printf('%.16777217c', 'x') WHERE objectID = 1", on: store.path)
        try browse().expectRefusal(saying: "longer than 16777216 bytes", "--max-value-size")
        // The text form of the list escapes less than JSON, which would repeat the long name.
        let list = try browse("--max-value-size", "0", "--max-section-key", "0")
        #expect(list.status == 0 && list.lines[0].contains(": \(store.books.count) rows in "))
    }

    @Test func `generated texts that need too much memory are refused`() throws {
        try change(
            "\"language\" TEXT",
            to: "\"language\" TEXT GENERATED ALWAYS AS (printf('%.100000c', 'x') || objectID) VIRTUAL")
        try browse("--max-memory", "2000000").expectRefusal(saying: "--max-memory")
        #expect(try browse("--json").jsonObject()["numberOfRows"] as? Int == store.books.count)
    }

    @Test func `with --check-all nothing is written, and damage anywhere is found first`() throws {
        try ForeignWriter.run("UPDATE Book SET title = title || '.'", on: store.path)
        let file = URL(filePath: store.path)
        let before = try Data(contentsOf: file)
        let list = try browse("--check-all", "--json").jsonObject()
        #expect((list["cache"] as? [String: Any])?["lookup"] as? String == "miss")
        #expect(try Data(contentsOf: file) == before)
        // A page of another table than the one that is listed.
        let page = try ForeignWriter.run(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'Note'", on: store.path)
        let number = try #require(Int(page.dropLast()))
        var bytes = before
        bytes[(number - 1) * 4_096] = 7
        try bytes.write(to: file)
        #expect(try browse("--json").jsonObject()["numberOfRows"] as? Int == store.books.count)
        try browse("--check-all").expectRefusal(saying: "is damaged")
    }

    @Test(arguments: [["--max-seconds", "-1"], ["--max-memory", "-1"], ["--max-value-size", "-2"]])
    func `an invalid limit is refused`(arguments: [String]) throws {
        let run = try ToolProcess.run("library-browser", [store.path] + arguments)
        run.expectRefusal(status: 64, saying: arguments[0], "must")
    }

    @Test(arguments: ["library-browser", "cache-inspector"])
    func `the help describes the limits for stores of unknown origin`(tool: String) throws {
        let help = try ToolProcess.run(tool, ["--help"]).output.split(separator: "\n").joined(separator: " ")
        #expect(help.contains("No store is trusted"))
        #expect(help.contains("--max-seconds"))
    }

    @Test func `bidirectional control characters are escaped in all output`() throws {
        let marks = "char(0x61C, 0x200E, 0x200F, 0x202E, 0x2066, 0x206F)"
        try ForeignWriter.run(
            "UPDATE Book SET title = \(marks) || title, language = \(marks) || language", on: store.path)
        for run in [
            try browse(), try browse("--json"), try browse("--section", "\u{200F}\u{61C}"),
            try browse("--columns", "a\u{200E}"),
            try ToolProcess.run("cache-inspector", ["list", "--cache-directory", "\u{61C}\u{200F}/x"]),
            try ToolProcess.run(
                "cache-inspector", ["show", "c", "--sections", "--cache-directory", store.caches]),
        ] {
            let all = (run.output + run.errors).unicodeScalars
            #expect(!all.contains { $0.properties.isBidiControl }, "\(run)")
            #expect(!all.isEmpty)
        }
    }
}
