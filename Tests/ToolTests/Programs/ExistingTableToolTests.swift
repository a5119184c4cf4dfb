import Foundation
import SectionedFetch
import Testing

/// The tools on another program's database with tracking, which contains the model.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct ExistingTableToolTests {
    private let directory: ScratchDirectory
    private var path: String { directory.path("shop.db") }

    init() throws {
        directory = try ScratchDirectory()
        try ForeignWriter.run(
            """
            CREATE TABLE artists (no INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE albums (no INTEGER PRIMARY KEY, Title TEXT, artist_no INTEGER, "sold on" INTEGER);
            INSERT INTO artists VALUES (1, 'Can'), (2, 'Neu!');
            INSERT INTO albums VALUES (1, 'Tago Mago', 1, 0), (2, 'Neu! 75', 2, 86400), (3, 'Ege Bamyasi', 1, NULL)
            """, on: path)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Artist",
                attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)],
                existingTable: ExistingTable(name: "artists", primaryKey: "no")),
            EntityDescription(
                name: "Album",
                attributes: [
                    AttributeDescription(name: "title", type: .string, isOptional: true),
                    AttributeDescription(name: "sold", type: .date, isOptional: true),
                ], relationships: [.toOne("artist", to: "Artist")],
                existingTable: ExistingTable(
                    name: "albums", primaryKey: "no", columns: ["artist": "artist_no", "sold": "sold on"],
                    forms: ["sold": .unixSeconds])),
        ])
        _ = try PersistentContainer(
            url: URL(filePath: path), model: model, options: StoreOptions(existingTables: .tracked))
    }

    private func browse(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run(
            "library-browser",
            [
                path, "--entity", "Album", "--sort", "artist.name", "--group-by", "artist.name",
                "--cache-directory", directory.path("caches"),
            ]
                + arguments)
    }

    @Test func `the browser lists mapped entities and caches their sections`() throws {
        let first = try browse("--cache", "albums", "--columns", "title,sold,artist.name")
        #expect(first.status == 0, "\(first)")
        #expect(
            first.output.contains("Ege Bamyasi") && first.output.contains("1970-01-02"), "\(first.output)")
        #expect(try browse("--cache", "albums").output.contains("Cache “albums”: hit"))
        try ForeignWriter.run("UPDATE artists SET name = 'CAN' WHERE no = 1", on: path)
        #expect(try browse("--cache", "albums").output.contains("hit, advanced by "))
        let verified = try ToolProcess.run(
            "cache-inspector",
            ["verify", "albums", "--cache-directory", directory.path("caches"), "--store", path])
        #expect(verified.status == 0, "\(verified)")
        #expect(
            verified.output.contains("current") && !verified.output.contains("foreign"), "\(verified.output)")
    }
}
