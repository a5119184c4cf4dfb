import Foundation
import SectionedFetch
import Testing

/// Real files of other formats than CSV and JSON, with counts that are known from the data.
@Suite(.enabled(if: RealLibrary.directory != nil, RealLibrary.reason))
struct LibraryImportRealFormatTests {
    private func outcomes(_ arguments: [String], status: Int32) throws -> [[String: Any]] {
        let run = try ToolProcess.run("library-import", arguments + ["--json"], timeLimit: 590)
        try #require(run.status == status, "\(run)")
        return try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    }

    @Test func `a music library is imported with its playlists, and a second time without a write`() throws {
        let source = try #require(RealLibrary.directory).appending(path: "itunes-py4e/Library.xml").path
        let directory = try ScratchDirectory()
        let store = directory.path("library.store")
        for member in ["inserted", "unchanged"] {
            let found = try outcomes([source, store], status: 0)
            #expect(found.map { $0["entity"] as? String } == ["Track", "Playlist", "PlaylistItem"])
            #expect(found.map { $0[member] as? Int } == [404, 25, 933])
        }
        let context = try PersistentContainer(url: directory.file("library.store")).newContext()
        let plays = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Track", predicate: nil, sortDescriptors: [])
        ).compactMap { track -> Int64? in
            guard case .integer(let count) = try track.value(forProperty: "Play Count") else { return nil }
            return count
        }
        // The number of tracks with a play count, as Python finds it.
        #expect(plays.count == 278)
    }

    @Test func `malformed outlines do not stop the others, and most are read with a repair`() throws {
        let folder = try #require(RealLibrary.directory).appending(path: "opml-feeds").path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let files = names.filter { $0.hasSuffix(".opml") }.sorted().map { "\(folder)/\($0)" }
        try #require(files.count == 118)
        let directory = try ScratchDirectory()
        let arguments = files + [directory.path("library.store"), "--entity", "Feed"]
        let found = try outcomes(arguments, status: 2)
        #expect(found.count { $0["error"] is String } == 80)
        #expect(found.compactMap { $0["inserted"] as? Int }.reduce(0, +) == 315)
        let repaired = try outcomes(
            files + [directory.path("other.store"), "--entity", "Feed", "--repair"], status: 2)
        // The others have quotes in their values that are not escaped, which no repair can tell from ends.
        #expect(repaired.count { $0["error"] is String } == 22)
        #expect(repaired.compactMap { $0["inserted"] as? Int }.reduce(0, +) == 1_116)
    }

    @Test func `a bibliography is imported, and its bad entries are counted`() throws {
        let source = try #require(RealLibrary.directory).appending(path: "bibtex-bibliotex/bibliotex.bib")
            .path
        let directory = try ScratchDirectory()
        let run = try ToolProcess.run("library-import", [source, directory.path("library.store"), "--json"])
        try #require(run.status == 1, "\(run)")
        let counts = try JSONDecoder().decode(LibraryImportCounts.self, from: Data(run.output.utf8))
        // 2,820 lines begin with the sign, and two more with a byte order mark before it.
        #expect(counts.inserted + counts.skipped == 2_822 && counts.skipped == 6, "\(run)")
    }
}
