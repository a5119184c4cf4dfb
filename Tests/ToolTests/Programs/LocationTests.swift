import Foundation
import Testing

/// The locations of stores and caches.
@Suite struct LocationTests {
    @Test func `without an absolute path in XDG_CACHE_HOME caches are below HOME`() throws {
        let store = try BookStore()
        for (number, cacheHome) in ["", "relative"].enumerated() {
            let home = store.directory.path("home \(number)")
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
            let run = try ToolProcess.run(
                "library-browser", [store.path, "--entity", "Book", "--cache", "books"],
                environment: ["HOME": home, "XDG_CACHE_HOME": cacheHome])
            #expect(run.status == 0, "\(run)")
            let file = home + "/.cache/library-browser/section-caches/data.mdb"
            #expect(FileManager.default.fileExists(atPath: file), "\(run)")
        }
    }

    @Test func `a path through a link is resolved as the system resolves it`() throws {
        let (store, other) = (try BookStore(), try BookStore(Array(BookStore.sample.prefix(3))))
        // Resolved as text, link/.. would be the directory of the first store.
        let inner = other.directory.path("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: store.directory.path("link"), withDestinationPath: inner)
        let path = store.directory.path("link/../books.store")
        let run = try ToolProcess.run("library-browser", [path, "--entity", "Book", "--json"])
        #expect(try run.jsonObject()["numberOfRows"] as? Int == 3)
    }

    @Test func `a tilde is part of a file name`() throws {
        let home = try ScratchDirectory()
        let run = try ToolProcess.run(
            "library-browser", ["~/books.store"], environment: ["HOME": home.url.path])
        run.expectRefusal(saying: "There is no store at “~/books.store”")
    }
}
