import Foundation
import SectionedFetch
import Testing

/// Complete imports of real libraries. The tests run if the data are in the directory
/// `SECTIONED_FETCH_DATA`, or in `shared/data` beside the checkout.
@Suite struct LibraryImportDataTests {
    private static let data: URL? = {
        let directories = [
            ProcessInfo.processInfo.environment["SECTIONED_FETCH_DATA"].map { URL(filePath: $0) },
            RepositoryFile.url("../shared/data"),
        ]
        return directories.compactMap { $0?.standardizedFileURL }.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "goodbooks/books.csv").path)
        }
    }()
    private static let reason: Comment =
        "SKIPPED: the real libraries are missing. Set SECTIONED_FETCH_DATA to their directory."

    @Test(
        .enabled(if: data != nil, reason),
        arguments: [
            ("goodbooks/books.csv", "Books", 10_000), ("tate/artist_data.csv", "Artist_data", 3_532),
            ("tate/artworks_sample.jsonl", "Artworks_sample", 4_071), ("moma/Artists.csv", "Artists", 14_839),
            ("moma/Artists.json", "Artists", 14_839), ("itunes-py4e/tracks.csv", "Tracks", 350),
        ])
    func `a library is imported completely, and a second time without a write`(
        path: String, entity: String, count: Int
    ) throws {
        let source = try #require(Self.data).appending(path: path)
        let directory = try ScratchDirectory()
        let store = directory.path("library.store")
        for pass in 1...2 {
            let run = try ToolProcess.run(
                "library-import", [source.path, store, "--json", "--again"], timeLimit: 590)
            try #require(run.status == 0, "\(run)")
            let counts = try JSONDecoder().decode(LibraryImportCounts.self, from: Data(run.output.utf8))
            let container = try PersistentContainer(url: directory.file("library.store"))
            let hasKey = try container.model.requireEntity(named: entity).attributes.contains(
                where: \.isUnique)
            if pass == 1 || !hasKey {
                #expect(counts == LibraryImportCounts(inserted: count), "\(path)")
            } else {
                #expect(counts == LibraryImportCounts(unchanged: count), "\(path)")
            }
            let stored = try container.newContext().count(
                for: FetchRequest<ManagedObject>(entityName: entity, predicate: nil, sortDescriptors: []))
            #expect(stored == (pass == 1 || hasKey ? count : 2 * count), "\(path)")
        }
    }
}
