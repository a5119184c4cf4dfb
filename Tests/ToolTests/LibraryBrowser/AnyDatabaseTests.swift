import Foundation
import Testing

/// Databases of other programs without a mapping, compared with plain SQL.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct AnyDatabaseTests {
    private let directory: ScratchDirectory
    private var path: String { directory.path("any.sqlite") }

    init() throws { directory = try ScratchDirectory() }

    private func browse(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run(
            "library-browser", [path, "--cache-directory", directory.path("caches")] + arguments)
    }

    /// Returns the numbers of rows by section as the browser lists them.
    private func sections(_ arguments: String...) throws -> [String: Int] {
        let run = try ToolProcess.run("library-browser", [path, "--json", "--rows", "0"] + arguments)
        let sections = try #require(try run.jsonObject()["sections"] as? [[String: Any]], "\(run)")
        return Dictionary(
            sections.map { ($0["name"] as? String ?? "", $0["numberOfRows"] as? Int ?? -1) },
            uniquingKeysWith: +)
    }

    /// Returns the numbers of rows by group as SQL counts them.
    private func groups(_ key: String, _ rest: String) throws -> [String: Int] {
        let output = try ForeignWriter.run(
            "SELECT ifnull(\(key), ''), count(*) FROM \(rest) GROUP BY 1", on: path)
        var groups: [String: Int] = [:]
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
            groups[fields.dropLast().joined(separator: "|")] = Int(fields[fields.count - 1])
        }
        return groups
    }

    private func tables() throws -> [String: [String: Any]] {
        let tables = try #require(try browse("--json").jsonObject()["tables"] as? [[String: Any]])
        return Dictionary(tables.map { ($0["name"] as? String ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    @Test func `a list of several tables names the entity of each row`() throws {
        try DatabaseLayout.rails.make(at: path)
        let list = try browse(
            "--entity", "people+posts", "--sort", "created_at", "--json", "--rows", "9"
        ).jsonObject()
        let rows = try #require(
            ((list["sections"] as? [[String: Any]])?.first?["rows"] as? [[String: Any]]))
        let expected = try ForeignWriter.run(
            "SELECT entity || '/' || id FROM (SELECT 'people' AS entity, id, created_at FROM people UNION ALL SELECT 'posts', id, created_at FROM posts) ORDER BY created_at",
            on: path)
        #expect(
            rows.map { $0["objectID"] as? String ?? "?" }
                == expected.split(separator: "\n").map(String.init))
        let run = try browse("--entity", "people+posts", "--sort", "views")
        #expect(run.status != 0 && run.errors.contains("“people” has no property “views”"), "\(run)")
    }

    @Test
    func `sections of an untracked database are cached while its files do not change`()
        throws
    {
        try DatabaseLayout.rails.make(at: path)
        func lookup() throws -> String {
            // The state of a file that has just changed is not trusted.
            Thread.sleep(forTimeInterval: 0.15)
            let list = try browse(
                "--entity", "posts", "--group-by", "person.name", "--cache", "posts", "--json"
            ).jsonObject()
            return (list["cache"] as? [String: Any])?["lookup"] as? String ?? "none"
        }
        let before = try ScratchDirectory.contents(of: directory.url).filter { $0.key.contains("any.sqlite") }
        #expect(try lookup() == "miss")
        #expect(try lookup() == "hit")
        let after = try ScratchDirectory.contents(of: directory.url).filter { $0.key.contains("any.sqlite") }
        #expect(after == before)
        try ForeignWriter.run("UPDATE people SET name = 'Cid' WHERE id = 1", on: path)
        #expect(try lookup() == "miss")
        #expect(try lookup() == "hit")
        #expect(try sections("--entity", "posts", "--group-by", "person.name") == ["Cid": 2, "Ben": 1])
    }

    @Test(arguments: DatabaseLayout.all)
    func `every entity of a well-known layout has the rows of its table`(layout: DatabaseLayout) throws {
        try layout.make(at: path)
        let before = try ScratchDirectory.contents(of: directory.url)
        let tables = try tables()
        let names = try ForeignWriter.run(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'",
            on: path
        ).split(separator: "\n").map(String.init)
        #expect(Set(tables.keys) == Set(names))
        for (name, table) in tables {
            guard let entity = table["entity"] as? String else { continue }
            let count = try ForeignWriter.run("SELECT count(*) FROM \"\(name)\"", on: path)
            #expect("\(table["numberOfRows"] as? Int ?? -1)\n" == count, "\(name)")
            let run = try browse("--entity", entity, "--json", "--rows", "9")
            #expect(run.status == 0, "\(run)")
            #expect(try run.jsonObject()["numberOfRows"] as? Int == table["numberOfRows"] as? Int)
        }
        // Nothing was written, and no file was left behind.
        try FileManager.default.createDirectory(
            at: directory.file("caches"), withIntermediateDirectories: true)
        var after = try ScratchDirectory.contents(of: directory.url)
        after["caches"] = nil
        #expect(before == after)
    }

    private func role(_ tables: [String: [String: Any]], _ name: String) -> String {
        let table = tables[name] ?? [:]
        if table["entity"] != nil { return table["isReadOnly"] as? Bool == true ? "read-only" : "entity" }
        return table["pairsOf"] as? String ?? "not taken"
    }

    private func property(_ tables: [String: [String: Any]], _ table: String, _ column: String) -> String {
        let columns = tables[table]?["columns"] as? [[String: Any]] ?? []
        let found = columns.first { $0["name"] as? String == column } ?? [:]
        let type = found["type"] as? String ?? found["destination"] as? String ?? "?"
        return "\(found["property"] as? String ?? "?") \(type)"
    }

    @Test func `a Calibre library has its links, although it declares no foreign keys`() throws {
        try DatabaseLayout.calibre.make(at: path)
        let tables = try tables()
        #expect(role(tables, "books_authors_link") == "books.authors")
        #expect(role(tables, "books_tags_link") == "books.tags")
        #expect(role(tables, "books_series_link") == "entity" && role(tables, "custom_column_1") == "entity")
        #expect(role(tables, "meta") == "not taken")
        #expect(property(tables, "books", "timestamp") == "timestamp date")
        #expect(property(tables, "books", "has_cover") == "has_cover boolean")
        #expect(property(tables, "custom_column_1", "book") == "book books")
        #expect(
            try sections("--entity", "books_series_link", "--group-by", "series.name")
                == groups("s.name", "books_series_link l JOIN series s ON s.id = l.series"))
        #expect(
            try sections("--entity", "books", "--group-by", "year:pubdate")
                == groups("substr(pubdate, 1, 4)", "books"))
        #expect(
            try sections("--entity", "books", "--where", "timestamp>=2012-01-01")
                == ["": 2])
    }

    @Test func `browser histories have dates in microseconds`() throws {
        try DatabaseLayout.firefox.make(at: path)
        var tables = try tables()
        #expect(property(tables, "moz_historyvisits", "visit_date") == "visit_date date")
        #expect(property(tables, "moz_historyvisits", "place_id") == "place moz_places")
        #expect(property(tables, "moz_places", "url_hash") == "url_hash integer64")
        #expect(property(tables, "moz_bookmarks", "dateAdded") == "dateAdded date")
        #expect(role(tables, "moz_meta") == "not taken")
        #expect(
            try sections("--entity", "moz_historyvisits", "--group-by", "place.origin.host")
                == groups(
                    "o.host",
                    "moz_historyvisits v JOIN moz_places p ON p.id = v.place_id JOIN moz_origins o ON o.id = p.origin_id"
                ))
        #expect(
            try sections("--entity", "moz_historyvisits", "--group-by", "day:visit_date")
                == groups("date(visit_date / 1000000, 'unixepoch')", "moz_historyvisits"))
        try FileManager.default.removeItem(atPath: path)
        try DatabaseLayout.chromium.make(at: path)
        tables = try self.tables()
        #expect(property(tables, "visits", "url") == "url urls")
        #expect(property(tables, "urls", "last_visit_time") == "last_visit_time date")
        #expect(role(tables, "meta") == "read-only" && role(tables, "keyword_search_terms") == "read-only")
        #expect(
            try sections("--entity", "visits", "--group-by", "day:visit_time")
                == groups("date(visit_time / 1000000 - 11644473600, 'unixepoch')", "visits"))
        #expect(
            try sections("--entity", "keyword_search_terms", "--group-by", "url.title")
                == groups("u.title", "keyword_search_terms k JOIN urls u ON u.id = k.url_id"))
    }

    @Test func `applications of Django and Rails have their relationships and dates`() throws {
        try DatabaseLayout.django.make(at: path)
        var tables = try tables()
        #expect(role(tables, "library_book_authors") == "library_book.library_author")
        #expect(role(tables, "django_session") == "read-only")
        #expect(property(tables, "library_book", "published") == "published date")
        #expect(property(tables, "library_author", "born") == "born date")
        #expect(property(tables, "library_book", "in_print") == "in_print boolean")
        #expect(property(tables, "library_book", "price") == "price double")
        #expect(
            try sections("--entity", "library_book", "--group-by", "editor.name")
                == groups("a.name", "library_book b LEFT JOIN library_author a ON a.id = b.editor_id"))
        try FileManager.default.removeItem(atPath: path)
        try DatabaseLayout.rails.make(at: path)
        tables = try self.tables()
        #expect(property(tables, "posts", "person_id") == "person people")
        #expect(property(tables, "posts", "category_id") == "category categories")
        #expect(property(tables, "categories", "parent_id") == "parent categories")
        #expect(role(tables, "categories_people") == "read-only")
        #expect(property(tables, "posts", "published_on") == "published_on date")
        #expect(
            try sections("--entity", "posts", "--group-by", "person.name")
                == groups("p.name", "posts o JOIN people p ON p.id = o.person_id"))
        #expect(
            try sections("--entity", "posts", "--group-by", "category.parent.name")
                == groups(
                    "p.name",
                    "posts o LEFT JOIN categories c ON c.id = o.category_id LEFT JOIN categories p ON p.id = c.parent_id"
                ))
    }

    @Test(.enabled(if: PublishedDatabase.chinook != nil, PublishedDatabase.reason))
    func `Chinook is listed with the relationships of its foreign keys`() throws {
        try FileManager.default.copyItem(
            at: #require(PublishedDatabase.chinook), to: directory.file("any.sqlite"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let before = FileManager.default.contents(atPath: path)
        let tables = try tables()
        #expect(tables.count == 11 && role(tables, "PlaylistTrack") == "Playlist.Track")
        #expect(property(tables, "Track", "AlbumId") == "Album Album")
        #expect(property(tables, "Employee", "ReportsTo") == "ReportsTo Employee")
        #expect(property(tables, "Invoice", "InvoiceDate") == "InvoiceDate date")
        #expect(
            try sections("--entity", "Album", "--group-by", "Artist.Name")
                == groups("a.Name", "Album b JOIN Artist a ON a.ArtistId = b.ArtistId"))
        #expect(
            try sections("--entity", "Track", "--group-by", "Album.Artist.Name", "--where", "Genre.Name=Rock")
                == groups(
                    "a.Name",
                    "Track t JOIN Album b ON b.AlbumId = t.AlbumId JOIN Artist a ON a.ArtistId = b.ArtistId JOIN Genre g ON g.GenreId = t.GenreId WHERE g.Name = 'Rock'"
                ))
        #expect(
            try sections("--entity", "Invoice", "--group-by", "year:InvoiceDate")
                == groups("strftime('%Y', InvoiceDate)", "Invoice"))
        let text = try browse()
        #expect(
            text.lines.contains {
                $0.contains("InvoiceDate") && $0.contains("date (dates, because all 412 values are texts")
            }, "\(text)")
        let list = try browse("--entity", "Invoice", "--check-all")
        #expect(list.errors.contains("“InvoiceDate”: dates, because all 412 values"), "\(list)")
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test func `a table that cannot be listed is named with the reason`() throws {
        try ForeignWriter.run(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT); CREATE VIEW v AS SELECT n FROM t;
            CREATE TABLE w (word TEXT PRIMARY KEY) WITHOUT ROWID
            """, on: path)
        try browse("--entity", "v").expectRefusal(
            saying: "“v” cannot be listed", "no column of it has a different integer in each row")
        try browse("--entity", "w").expectRefusal(saying: "“w” cannot be listed", "is of type TEXT")
        try browse("--entity", "nothing").expectRefusal(saying: "no entity “nothing”")
        try browse("--entity", "t", "--group-by", "m").expectRefusal(saying: "Did you mean “n”?")
        try ForeignWriter.run("DROP VIEW v; DROP TABLE t", on: path)
        #expect(try browse().output.contains("0 entities, 1 table or view not taken"))
        try browse("--entity", "w").expectRefusal(saying: "No table of “")
    }

    @Test func `views are listed read-only if they are named`() throws {
        try ForeignWriter.run(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT, g TEXT);
            INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'x');
            CREATE VIEW v AS SELECT id, upper(n) AS n, g FROM t WHERE id > 1;
            CREATE VIEW sums AS SELECT min(id) AS id, g, count(*) AS size FROM t GROUP BY g;
            CREATE VIEW broken AS SELECT id, other(n) FROM t;
            CREATE VIEW endless AS
                WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n
            """, on: path)
        let before = FileManager.default.contents(atPath: path)
        let overview = try browse()
        #expect(overview.output.contains("1 entity, 4 views not read"), "\(overview)")
        #expect(
            overview.output.contains(
                "or --views to read all:\n    v\n    sums\n    broken\n    endless"))
        for name in ["v", "sums"] {
            #expect(
                try sections("--entity", name, "--group-by", "g") == groups("g", name), "\(name)")
        }
        #expect(try browse("--entity", "sums").errors.contains("identified by “id”"))
        // A view may depend on more than the file, so it is not cached.
        for _ in 0..<2 {
            let list = try browse("--entity", "v", "--group-by", "g", "--cache", "views")
            #expect(list.output.contains("views may depend on more than the store's files"), "\(list)")
        }
        try browse("--entity", "broken").expectRefusal(saying: "no such function: other")
        try browse("--entity", "endless", "--max-seconds", "0.3").expectRefusal(
            saying: "“endless” cannot be listed")
        let all = try browse("--views", "--max-seconds", "0.3")
        for line in [
            "v  2  read-only: a view", "sums  2  read-only: a view", "view “broken”: ", "view “endless”: ",
        ] {
            #expect(all.output.contains(line), "\(line) in \(all)")
        }
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test func `the overview and a list agree about a database that another program writes`() throws {
        try ForeignWriter.run(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO t VALUES (1, 'a')",
            on: path)
        let before = try ScratchDirectory.contents(of: directory.url)
        #expect(
            try browse("--entity", "t", "--group-by", "n", "--json").jsonObject()["numberOfRows"] as? Int == 1
        )
        #expect(
            try ScratchDirectory.contents(of: directory.url).filter { !$0.key.hasPrefix("caches") } == before)
        // A second program with an open log.
        try ForeignWriter.locking(path) {}
        try ForeignWriter.run("INSERT INTO t VALUES (2, 'b')", on: path)
        #expect(try sections("--entity", "t", "--group-by", "n") == ["a": 1, "b": 1])
    }

    @Test(.enabled(if: MountSandbox.isAvailable, MountSandbox.reason), arguments: ["DELETE", "WAL"])
    func `on a read-only file system a database is described and listed`(mode: String) throws {
        try ForeignWriter.run(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b'); PRAGMA journal_mode = \(mode)",
            on: path)
        let script = """
            mount --bind "$2" "$2"; mount -o remount,bind,ro "$2"
            "$1" "$2/any.sqlite" && exec "$1" "$2/any.sqlite" --entity t --group-by n
            """
        let run = try MountSandbox.run(script, [ToolProcess.path("library-browser"), directory.url.path])
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(
            run.lines.contains("t  2") && run.lines.contains("a  1") && run.lines.contains("b  1"), "\(run)")
    }

    @Test func `mixed columns, and names with spaces and quotes, serve as section keys and in predicates`()
        throws
    {
        try ForeignWriter.run(
            """
            CREATE TABLE "the table" (id INTEGER PRIMARY KEY, "a key" , "price.in €" REAL, "it's" TEXT);
            INSERT INTO "the table" VALUES (1, 'x', 1.5, 'p'), (2, 5, 2, 'q'), (3, '5', NULL, 'p'), (4, NULL, 3, NULL)
            """, on: path)
        #expect(
            try sections("--entity", "the table", "--group-by", "a key")
                == groups("CAST(\"a key\" AS TEXT)", "\"the table\""))
        #expect(
            try sections("--entity", "the table", "--group-by", "it's", "--where", "a key=5")
                == groups("\"it's\"", "\"the table\" WHERE CAST(\"a key\" AS TEXT) = '5'"))
        #expect(
            try sections("--entity", "the table", "--where", "price_in €>1.75")
                == ["": 2])
    }

    @Test(.enabled(if: TmuxSession.isAvailable, TmuxSession.reason))
    func `a live list follows another program's database`() throws {
        try ForeignWriter.run(
            """
            CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist);
            INSERT INTO artist VALUES (1, 'Can'), (2, 'Neu!');
            INSERT INTO album VALUES (1, 'Tago Mago', 1), (2, 'Neu! 75', 2)
            """, on: path)
        let tool = try ToolProcess.path("library-browser")
        let session = try TmuxSession(
            directory,
            "'\(tool)' any.sqlite --entity album --group-by artist.name --sort artist.name,title --columns title --live"
        )
        try session.wait(for: "the list") {
            $0[1].hasPrefix("Can  1") && $0[2].hasPrefix("> Tago Mago") && $0[3].hasPrefix("Neu!  1")
                && $0[4].hasPrefix("  Neu! 75")
        }
        try ForeignWriter.run("INSERT INTO album VALUES (3, 'Ege Bamyasi', 1)", on: path)
        try session.wait(for: "the inserted row") {
            $0[1].hasPrefix("Can  2") && $0[2].hasPrefix("> Ege Bamyasi")
        }
        try ForeignWriter.run("UPDATE artist SET name = 'Ash' WHERE id = 2", on: path)
        try session.wait(for: "the moved section") { $0[1].hasPrefix("Ash  1") && $0[3].hasPrefix("Can  2") }
        try ForeignWriter.run("DELETE FROM album WHERE id = 2", on: path)
        try session.wait(for: "the deleted section") { $0[1].hasPrefix("Can  2") }
        try session.press("q")
        try session.wait(for: "the exit status") { $0.contains { $0.hasPrefix("exit status 0") } }
    }
}
