import Foundation
import Testing

/// The catalogue of the Museum of Modern Art, imported completely and listed twice. The test runs if the
/// data are in the directory `SECTIONED_FETCH_DATA`, or in `shared/data` beside the checkout.
@Suite struct CollectionOfArtTests {
    private static let artworks: URL? = {
        let directories = [
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"].map { URL(filePath: $0) },
            RepositoryFile.url("../shared/data").standardizedFileURL,
        ]
        return directories.compactMap { $0?.appending(path: "moma/Artworks.csv") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    private static let reason: Comment =
        "SKIPPED: the museum's catalogue is missing. Set SECTIONED_FETCH_DATA to its directory."

    @Test(.enabled(if: artworks != nil, reason))
    func `a museum's catalogue is imported, listed three ways, and listed again from the cache`() throws {
        let directory = try ScratchDirectory()
        let store = directory.path("museum.store")
        let source = try #require(Self.artworks)
        let importing = try ToolProcess.run(
            "library-import",
            [
                "import", source.path, store, "--entity", "Artwork", "--key", "ObjectID", "--relationship",
                "Artist=Artist", "--json",
            ], timeLimit: 590)
        let summary = try importing.jsonObject()
        #expect(summary["inserted"] as? Int == 123_919 && summary["skipped"] as? Int == 0, "\(importing)")

        func list(_ arguments: [String]) throws -> (
            lookup: String, sections: [String: Int], numberOfSections: Int
        ) {
            let run = try ToolProcess.run(
                "library-browser",
                [
                    store, "--entity", "Artwork", "--cache", "museum", "--rows", "0", "--json",
                    "--cache-directory",
                    directory.path("caches"),
                ] + arguments, timeLimit: 300)
            let list = try run.jsonObject()
            #expect(list["numberOfRows"] as? Int == 123_919)
            let sections = try #require(list["sections"] as? [[String: Any]])
            let counts = sections.map { ($0["name"] as? String ?? "", $0["numberOfRows"] as? Int ?? 0) }
            #expect(counts.reduce(0) { $0 + $1.1 } == 123_919)
            let cache = list["cache"] as? [String: Any]
            return (
                cache?["lookup"] as? String ?? "", Dictionary(counts) { $0 + $1 },
                list["numberOfSections"] as? Int ?? 0
            )
        }
        let requests: [[String]] = [
            ["--group-by", "Department"], ["--group-by", "artist.name"], ["--group-by", "letter:Title"],
            ["--group-by", "Classification", "--sort", "Classification,Title:localized=en"],
        ]
        let computed = try requests.map(list)
        let cached = try requests.map(list)
        #expect(computed.map(\.lookup) == ["miss", "miss", "miss", "miss"])
        #expect(cached.map(\.lookup) == ["hit", "hit", "hit", "hit"])
        #expect(computed.map(\.sections) == cached.map(\.sections))
        #expect(computed.map(\.numberOfSections) == cached.map(\.numberOfSections))
        #expect(cached[0].numberOfSections == 9)
        #expect(cached[1].numberOfSections == 12_921)
        #expect(cached[3].numberOfSections == 26)
        #expect(cached[0].sections.values.max() == 58_268)
        #expect(cached[0].sections["Prints & Illustrated Books"] == 58_268)
        // Each Latin letter is a section, and titles that begin with other letters are in few more.
        #expect(Set(cached[2].sections.keys).isSuperset(of: "ABCDEFGHIJKLMNOPQRSTUVWXYZ#".map(String.init)))
        for request in requests {
            let verification = try ToolProcess.run(
                "cache-inspector",
                [
                    "verify", "museum", "--store", store, "--entity", "Artwork", "--cache-directory",
                    directory.path("caches"),
                ]
                    + request, timeLimit: 300)
            #expect(verification.status == 0 && verification.output.contains("equal"), "\(verification)")
        }
    }
}
