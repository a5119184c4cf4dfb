import Foundation
import Testing

/// Stores of Core Data in the browser. The tests run if the stores are in the directory
/// `SECTIONED_FETCH_DATA`, or in `shared/data` beside the checkout.
@Suite(.enabled(if: CoreDataSamples.folder != nil, CoreDataSamples.reason))
struct BrowserCoreDataTests {
    private func browse(_ path: String, _ arguments: String...) throws -> ToolRun {
        let folder = try #require(CoreDataSamples.folder)
        return try ToolProcess.run("library-browser", [folder.appending(path: path).path] + arguments)
    }

    @Test func `without options, the entities of a store are described with their counts`() throws {
        let run = try browse("coredataplus/SampleModel/SampleModel_V2.sqlite")
        #expect(run.status == 0, "\(run)")
        #expect(
            run.lines[0].hasSuffix(
                "SampleModel_V2.sqlite, a Core Data store: 4 entities, framework version 1044, model version 2"
            ),
            "\(run)")
        let headings = run.lines.filter { $0.contains(/^\w+  \d/) }.sorted()
        #expect(
            headings == [
                "Car  125  115 without sub-entities", "LuxuryCar  5  a kind of SportCar", "Person  20",
                "SportCar  10  5 without sub-entities  a kind of Car",
            ], "\(run)")
        #expect(run.lines.contains { $0.contains(/^    owner +to one Person, inverse of cars$/) }, "\(run)")
        let list = try browse("duckduckgo-bookmarks/Bookmarks_V4.sqlite", "--json").jsonObject()
        let entities = try #require(list["entities"] as? [[String: Any]])
        #expect(entities.count == 1 && entities[0]["name"] as? String == "BookmarkEntity")
        #expect(entities[0]["count"] as? Int == 10 && list["kind"] as? String == "Core Data")
    }

    @Test func `an entity is listed in sections, by key paths through relationships`() throws {
        let list = try browse(
            "coredataplus/SampleModel2/SampleModel2_V1.sqlite", "--entity", "Page", "--group-by",
            "book.author.alias", "--rows", "1", "--columns", "number,book.title", "--json"
        ).jsonObject()
        #expect(list["numberOfRows"] as? Int == 4_970)
        let sections = try #require(list["sections"] as? [[String: Any]])
        #expect(Set(sections.compactMap { $0["name"] as? String }) == ["Alessandro", "Andrea"])
    }

    @Test func `an old store is read with the model that is given`() throws {
        let directory = try ScratchDirectory()
        let folder = try #require(CoreDataSamples.folder).appending(path: "coredataplus/SampleModel")
        let store = directory.path("old.sqlite")
        try FileManager.default.copyItem(
            atPath: folder.appending(path: "SampleModel_V1.sqlite").path, toPath: store)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store)
        try ForeignWriter.run("DROP TABLE Z_MODELCACHE", on: store)
        try ToolProcess.run("library-browser", [store]).expectRefusal(saying: "Give the model")
        let model = folder.appending(path: "SampleModel.xcdatamodeld").path
        let run = try ToolProcess.run("library-browser", [store, "--model", model])
        #expect(run.status == 0 && run.lines.contains("Car  125  115 without sub-entities"), "\(run)")
    }

    @Test(.enabled(if: TmuxSession.isAvailable, TmuxSession.reason), arguments: [true, false])
    func `a live list follows the app, whether or not it left its log`(hasLog: Bool) throws {
        let directory = try ScratchDirectory()
        let folder = try #require(CoreDataSamples.folder).appending(path: "duckduckgo-bookmarks")
        let store = directory.path("Bookmarks_V4.sqlite")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(
                atPath: folder.appending(path: "Bookmarks_V4.sqlite" + suffix).path, toPath: store + suffix)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: store + suffix)
        }
        if !hasLog { try ForeignWriter.run("SELECT count(*) FROM ZBOOKMARKENTITY", on: store) }
        #expect(FileManager.default.fileExists(atPath: store + "-shm") == hasLog)
        let tool = try ToolProcess.path("library-browser")
        let session = try TmuxSession(
            directory, "'\(tool)' Bookmarks_V4.sqlite --entity BookmarkEntity --columns title,uuid --live")
        try session.wait(for: "the first list") { $0.contains { $0.contains("favorites_root") } }
        for title in ["first title", "second title"] {
            try ForeignWriter.run(
                "UPDATE ZBOOKMARKENTITY SET ZTITLE = '\(title)' WHERE ZUUID = 'favorites_root'", on: store)
            try session.wait(for: "the \(title)") { $0.contains { $0.contains(title) } }
        }
        try session.press("q")
        try session.wait(for: "the exit status") { $0.contains("exit status 0") }
    }
}
