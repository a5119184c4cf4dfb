import Foundation
import Testing

/// Caches of lists of other programs' databases, which the inspector opens as the browser does.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct InspectorDatabaseTests {
    private let directory: ScratchDirectory
    private var caches: String { directory.path("caches") }

    init() throws { directory = try ScratchDirectory() }

    private func inspect(_ arguments: [String]) throws -> ToolRun {
        try ToolProcess.run("cache-inspector", arguments + ["--json", "--cache-directory", caches])
    }

    private func explain(_ path: String, _ request: [String]) throws -> String {
        let value = try inspect(["explain", "--cache", "c", "--store", path] + request).jsonObject()
        return value["reason"] as? String ?? value["lookup"] as? String ?? "nothing"
    }

    private func verify(_ path: String, _ request: [String] = []) throws -> String {
        let verdicts = try inspect(["verify", "c", "--store", path] + request).json() as? [[String: Any]]
        return verdicts?.first?["state"] as? String ?? "nothing"
    }

    /// Caches a list in the browser.
    private func browse(_ path: String, _ request: [String]) throws -> String {
        // The state of a file that has just changed is not trusted.
        Thread.sleep(forTimeInterval: 0.15)
        let list = try ToolProcess.run(
            "library-browser", [path, "--json", "--cache", "c", "--cache-directory", caches] + request)
        return (try list.jsonObject()["cache"] as? [String: Any])?["lookup"] as? String ?? "\(list)"
    }

    private func files(_ name: String) throws -> [String: Data] {
        try ScratchDirectory.contents(of: directory.url).filter { $0.key.hasPrefix(name) }
    }

    /// Checks that the inspector finds the entry of a list, and leaves the files of the database as they are.
    private func check(_ name: String, _ request: [String]) throws {
        let path = directory.path(name)
        #expect(try explain(path, request) == "nothing is cached under this name")
        let before = try files(name)
        #expect(try [browse(path, request), browse(path, request)] == ["miss", "hit"])
        #expect(try explain(path, request) == "hit")
        #expect(try [verify(path), verify(path, request)] == ["current", "equal"])
        let other = try explain(path, request + ["--limit", "1"])
        #expect(other == "the request changed (window)")
        #expect(try files(name) == before)
    }

    @Test func `the list of an untracked database is a hit until its file changes`() throws {
        try DatabaseLayout.rails.make(at: directory.path("any.sqlite"))
        let request = ["--entity", "posts", "--group-by", "person.name"]
        try check("any.sqlite", request)
        let path = directory.path("any.sqlite")
        try ForeignWriter.run("UPDATE people SET name = 'Cid' WHERE id = 1", on: path)
        Thread.sleep(forTimeInterval: 0.15)
        let answer = try inspect(["explain", "--cache", "c", "--store", path] + request).jsonObject()
        #expect(answer["lookup"] as? String == "miss")
        #expect((answer["next"] as? String)?.contains("computes the entry anew") == true, "\(answer)")
        #expect(try [verify(path), verify(path, request)] == ["stale", "stale"])
        #expect(try [browse(path, request), verify(path, request)] == ["miss", "equal"])
    }

    @Test(.enabled(if: PublishedDatabase.chinook != nil, PublishedDatabase.reason))
    func `the list of a published database is a hit`() throws {
        let path = directory.path("chinook.sqlite")
        try FileManager.default.copyItem(
            at: #require(PublishedDatabase.chinook), to: directory.file("chinook.sqlite"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try check("chinook.sqlite", ["--entity", "Artist", "--group-by", "letter:Name"])
    }

    @Test(.enabled(if: CoreDataSamples.folder != nil, CoreDataSamples.reason))
    func `the list of a Core Data store is a hit`() throws {
        _ = try CoreDataSamples.copy("duckduckgo-bookmarks/Bookmarks_V5.sqlite", to: directory)
        try check("Bookmarks_V5.sqlite", ["--entity", "BookmarkEntity", "--group-by", "parent.title"])
    }

    @Test func `the list of a mapped table is a hit with the same model`() throws {
        let path = directory.path("any.sqlite")
        try DatabaseLayout.rails.make(at: path)
        let model = directory.path("model.json")
        let adopted = try ToolProcess.run("library-import", ["adopt", path, "--untracked", "--model", model])
        try #require(adopted.status == 0, "\(adopted)")
        try check("any.sqlite", ["--entity", "posts", "--group-by", "person.name", "--model", model])
    }

    @Test func `a table that cannot be listed, and the list of a view, are explained`() throws {
        let path = directory.path("any.sqlite")
        try ForeignWriter.run(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT); INSERT INTO t VALUES (1, 'a'); CREATE VIEW v AS SELECT id, n FROM t; CREATE TABLE w (word TEXT PRIMARY KEY) WITHOUT ROWID",
            on: path)
        Thread.sleep(forTimeInterval: 0.15)
        #expect(
            try explain(path, ["--entity", "v", "--group-by", "n"]).contains("views may depend on more"))
        try inspect(["explain", "--cache", "c", "--store", path, "--entity", "w"]).expectRefusal(
            saying: "“w” cannot be listed")
    }
}
