import Foundation
import Testing

/// Aggregates of related objects in orders and section keys, compared with plain SQL.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct BrowserAggregateTests {
    private let directory: ScratchDirectory
    private var path: String { directory.path("any.sqlite") }

    init() throws { directory = try ScratchDirectory() }

    private func browse(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-browser", [path, "--entity", "artist"] + arguments)
    }

    /// Returns the names of the sections with their numbers of rows.
    private func sections(_ key: String) throws -> [String] {
        let run = try browse("--group-by", key, "--json", "--rows", "0")
        let sections = try #require(try run.jsonObject()["sections"] as? [[String: Any]], "\(run)")
        return sections.map { "\($0["name"] ?? ""): \($0["numberOfRows"] ?? 0)" }
    }

    @Test func `counts and sums of related objects order and divide a list as in SQL`() throws {
        try ForeignWriter.run(
            """
            CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, price REAL, artist INTEGER REFERENCES artist (id));
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO artist SELECT i, 'artist ' || i FROM n;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
            INSERT INTO album SELECT i, 'album ' || i, (i * 7 % 5) + 0.5, i * i % 37 + 1 FROM n
            """, on: path)
        func names(_ sort: String) throws -> String {
            try browse("--sort", sort, "--columns", "name", "--format", "csv").output
        }
        func expected(_ order: String) throws -> String {
            try "name\n"
                + ForeignWriter.run(
                    "SELECT name FROM artist ORDER BY (SELECT \(order) FROM album WHERE artist = artist.id), id",
                    on: path)
        }
        #expect(try names("album.@count") == expected("count(*)"))
        #expect(try names("album.@sum.price") == expected("ifnull(sum(price), 0)"))
        #expect(
            try sections("album.@count")
                == ForeignWriter.run(
                    "SELECT n || ': ' || count(*) FROM (SELECT (SELECT count(*) FROM album WHERE artist = artist.id) AS n FROM artist) GROUP BY n ORDER BY n",
                    on: path
                ).split(separator: "\n").map(String.init))
        #expect(
            try sections("album.@max.price")
                == ForeignWriter.run(
                    "SELECT ifnull(p, '<null>') || ': ' || count(*) FROM (SELECT (SELECT max(price) FROM album WHERE artist = artist.id) AS p FROM artist) GROUP BY p ORDER BY p",
                    on: path
                ).split(separator: "\n").map(String.init))
        let subsections = try browse(
            "--group-by", "letter:name", "--subgroup-by", "album.@count", "--json", "--rows", "0")
        #expect(
            subsections.status == 0 && subsections.output.contains("\"numberOfSubsections\""),
            "\(subsections)")
        try browse("--columns", "album.@count").expectRefusal(saying: "aggregate", "not a property")
        let three = try browse("--where", "album.@count=3", "--columns", "name", "--format", "csv")
        #expect(
            try three.output
                == "name\n"
                + ForeignWriter.run(
                    "SELECT name FROM artist WHERE (SELECT count(*) FROM album WHERE artist = artist.id) = 3",
                    on: path))
        try browse("--sort", "album.title").expectRefusal(
            saying: "leads to many objects")
        try browse("--sort", "album.@most").expectRefusal(saying: "@most")
    }
}
