import Foundation
import Testing

/// The status of a live list: its cache, its files, and the titles of its sections.
@Suite(.enabled(if: TmuxSession.isAvailable && ForeignWriter.isAvailable, TmuxSession.reason), .serialized)
struct LiveStatusTests {
    private let store: BookStore

    init() throws { store = try BookStore() }

    private func start(_ options: String) throws -> TmuxSession {
        let tool = try ToolProcess.path("library-browser")
        return try TmuxSession(
            store.directory, "'\(tool)' books.store --cache-directory caches --live \(options)")
    }

    @Test func `the status page shows the reason of a miss`() throws {
        _ = try store.lookUp(["--cache", "books", "--group-by", "language"])
        let session = try start("--group-by language --cache books --limit 9")
        try session.wait(for: "the list") { $0[28].contains("cache miss") }
        try session.type("s")
        try session.wait(for: "the reason") {
            $0.contains {
                $0.hasPrefix("Cache “books” at the start: ") && $0.contains("request changed (window)")
            }
        }
        // The key ends the program on every page.
        try session.type("q")
        try session.wait(for: "the end") { $0.contains { $0.hasPrefix("exit status 0") } }
    }

    @Test func `Boolean sections have the titles of the type`() throws {
        let session = try start("--group-by isRead --subgroup-by language")
        try session.wait(for: "the title") { $0.contains { $0.hasPrefix("false  ") && $0.contains(" › ") } }
        try session.type("q")
        let simple = try start("--group-by isRead")
        try simple.wait(for: "the title") { $0.contains { $0.hasPrefix("false  ") } }
        try simple.type("q")
    }

    @Test func `a store that is moved back is followed without a failure`() throws {
        let session = try start("--group-by language")
        try session.wait(for: "the list") { $0[28].contains(" 40 rows") }
        let moved = store.directory.path("moved")
        try FileManager.default.moveItem(atPath: store.path, toPath: moved)
        try session.wait(for: "the failure") { $0[29].hasPrefix("Changes cannot be followed") }
        try session.type("s")
        try session.wait(for: "the whole failure") { $0.joined(separator: " ").contains("was removed") }
        try session.type("x")
        try FileManager.default.moveItem(atPath: moved, toPath: store.path)
        try session.wait(for: "no failure") { !$0[29].contains("Changes cannot be followed") }
        try ForeignWriter.run("DELETE FROM Book WHERE objectID = 1", on: store.path)
        try session.wait(for: "the change") {
            $0[28].contains(" 39 rows") && $0[29].hasPrefix("Last change: ")
        }
        // Another file at the path is not the store that is shown.
        try FileManager.default.moveItem(atPath: store.path, toPath: moved)
        try FileManager.default.copyItem(atPath: moved, toPath: store.path)
        try session.wait(for: "the failure") { $0[29].hasPrefix("Changes cannot be followed") }
        try session.type("s")
        try session.wait(for: "the whole failure") { $0.joined(separator: " ").contains("was replaced") }
        try session.type("x")
        try session.type("q")
    }
}
