import Foundation
import Testing

/// The cache across processes. Rules K1, K3, K6 and K8.
@Suite struct BrowserCacheTests {
    private let request = ["--group-by", "language", "--cache", "books"]

    @Test func `a second process reports a hit and shows the same list`() throws {
        let store = try BookStore()
        let first = try store.browse("--group-by", "language", "--cache", "books")
        #expect(
            first.lines[1]
                == "Cache “books”: miss: nothing is cached under this name: the directory “\(store.caches)” did not exist"
        )
        #expect(first.output.contains("The sections are saved for the next start."))
        let second = try store.browse("--group-by", "language", "--cache", "books")
        #expect(second.lines[1] == "Cache “books”: hit")
        let untimed = { (run: ToolRun) in run.lines.filter { $0.hasPrefix("    ") || $0.contains("  ") } }
        #expect(untimed(first) == untimed(second))
        #expect(!second.output.contains("saved"))
    }

    @Test func `each different request has its own entry, and both stay`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request)
        let others = [
            ["--group-by", "author.name"], ["--group-by", "language", "--limit", "39"],
            ["--group-by", "language", "--where", "year>=1900"],
            ["--group-by", "language", "--where", "year>=1901"],
            ["--group-by", "language", "--sort", "-language"], ["--group-by", "letter:title:de"],
            ["--group-by", "letter:title:de:apart"],
        ]
        for other in others {
            let run = { try store.lookUp(other + ["--cache", "books"]) }
            #expect(try run().hasPrefix("the request changed ("), "\(other)")
            #expect(try run() == "hit", "\(other)")
        }
        #expect(try store.lookUp(request) == "hit")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a change by another program is detected and advances the entry`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request)
        #expect(try store.lookUp(request) == "hit")
        for change in [
            "UPDATE Book SET language = 'Polish' WHERE objectID = 3", "DELETE FROM Book WHERE objectID = 4",
            "INSERT INTO Book (title, isRead) VALUES ('new', 0)", "DELETE FROM Book",
        ] {
            try ForeignWriter.run(change, on: store.path)
            #expect(try store.lookUp(request).hasPrefix("advanced by "), "\(change)")
            #expect(try store.lookUp(request) == "hit", "\(change)")
        }
        let list = try store.browse("--group-by", "language", "--cache", "books", "--json").jsonObject()
        #expect(list["numberOfSections"] as? Int == 0)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a change of a related table is detected if the request reads it`() throws {
        let store = try BookStore()
        let byAuthor = ["--group-by", "author.name", "--cache", "authors"]
        for request in [request, byAuthor] { _ = try store.lookUp(request) }
        try ForeignWriter.run("UPDATE Author SET name = 'Zuzana' WHERE name = 'Ada'", on: store.path)
        #expect(try store.lookUp(request) == "hit")
        #expect(try store.lookUp(byAuthor).hasPrefix("advanced by "))
        #expect(try store.browse("--group-by", "author.name", "--cache", "authors").output.contains("Zuzana"))
    }

    @Test(
        .enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason),
        arguments: [
            "INSERT INTO Note (text) VALUES ('more'); DELETE FROM Note", "BEGIN; DELETE FROM Book; ROLLBACK",
            "BEGIN; SAVEPOINT a; DELETE FROM Book; ROLLBACK TO a; COMMIT",
            "UPDATE Book SET year = 1 WHERE objectID = -1",
            "CREATE TABLE other (x); INSERT INTO other VALUES (1); DELETE FROM other",
        ])
    func `a change of other tables, or of no row, leaves the hit`(statements: String) throws {
        let store = try BookStore()
        _ = try store.lookUp(request)
        try ForeignWriter.run(statements, on: store.path)
        let answer = try store.lookUp(request)
        // A new table changes the version of the schema, which may cost a miss, but never a second one.
        if statements.contains("CREATE") {
            #expect(answer == "hit" || answer.hasPrefix("the store's tables, indexes or triggers changed"))
            #expect(try store.lookUp(request) == "hit")
        } else {
            #expect(answer == "hit")
        }
    }

    @Test func `a deleted cache is computed again`() throws {
        let store = try BookStore()
        _ = try store.lookUp(request)
        let deletion = try store.inspect("delete", "books")
        #expect(deletion.status == 0 && deletion.output == "Deleted “books”.\n", "\(deletion)")
        #expect(try store.lookUp(request) == "nothing is cached under this name")
        #expect(try store.lookUp(request) == "hit")
        try FileManager.default.removeItem(atPath: store.caches)
        #expect(try store.lookUp(request) == "nothing is cached under this name")
        #expect(try store.lookUp(request) == "hit")
    }

    @Test func `another store is another entry, even with the same contents`() throws {
        let store = try BookStore()
        let other = try BookStore()
        _ = try store.lookUp(request)
        let run = try ToolProcess.run(
            "library-browser", [other.path, "--cache-directory", store.caches, "--json"] + request)
        let cache = try run.jsonObject()["cache"] as? [String: Any]
        #expect(cache?["reason"] as? String == "the cache was made for another store")
        #expect(try store.lookUp(request) == "hit")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self"), "/proc is not mounted."))
    func `a directory that the system does not create is named`() throws {
        let store = try BookStore()
        let run = try ToolProcess.run(
            "library-browser", [store.path, "--cache", "books", "--cache-directory", "/proc/nope"])
        #expect(run.status == 0, "\(run)")
        #expect(
            run.output.contains(
                "The sections are not saved: "), "\(run)")
        #expect(run.output.contains("“/proc/nope” cannot be created"), "\(run)")
    }

    @Test func `without a cache name nothing is written`() throws {
        let store = try BookStore()
        #expect(try store.browse("--group-by", "language").status == 0)
        #expect(!FileManager.default.fileExists(atPath: store.caches))
    }

    @Test func `caches are in the user's cache folder by default`() throws {
        let store = try BookStore()
        let folder = store.directory.path("xdg")
        let run = try ToolProcess.run(
            "library-browser", [store.path, "--cache", "books"], environment: ["XDG_CACHE_HOME": folder])
        #expect(run.status == 0)
        #expect(FileManager.default.fileExists(atPath: folder + "/library-browser/section-caches/data.mdb"))
        let list = try ToolProcess.run("cache-inspector", ["list"], environment: ["XDG_CACHE_HOME": folder])
        #expect(list.output.contains("books"))
    }

    @Test func `a look-up names a directory of caches that does not exist`() throws {
        let store = try BookStore()
        let missing = "nothing is cached under this name: the directory “\(store.caches)” did"
        let explained = try store.inspect("explain", "--cache", "c", "--store", store.path)
        #expect(
            explained.output.contains(
                "nothing is cached under this name: the directory “\(store.caches)” does not exist"),
            "\(explained)")
        #expect(try store.inspect("list").output.contains("“\(store.caches)” does not exist"))
        try store.inspect("show", "c").expectRefusal(
            saying: "“\(store.caches)”, which does not exist. Check --cache-directory.")
        let first = try store.browse("--group-by", "language", "--cache", "c")
        #expect(first.output.contains(missing), "\(first)")
        let second = try store.browse("--group-by", "language", "--cache", "d")
        #expect(second.lines[1] == "Cache “d”: miss: nothing is cached under this name", "\(second)")
    }
}

extension BookStore {
    /// Returns the browser's report about the cache: the reason of a miss, the number of rows by which the
    /// entry was advanced, or `hit`.
    func lookUp(_ arguments: [String]) throws -> String {
        let run = try ToolProcess.run(
            "library-browser", [path, "--cache-directory", caches, "--json"] + arguments)
        let cache = try run.jsonObject()["cache"] as? [String: Any]
        if let rows = cache?["advancedRows"] as? Int { return "advanced by \(rows)" }
        return cache?["reason"] as? String ?? cache?["lookup"] as? String ?? "no cache"
    }
}
