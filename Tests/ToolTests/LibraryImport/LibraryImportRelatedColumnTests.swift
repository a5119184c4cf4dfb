import Foundation
import SectionedFetch
import Testing

/// The section “A column as a related object” of the article “Importing”.
@Suite struct LibraryImportRelatedColumnTests {
    private static let songs = """
        Title,Artist
        Sinnerman,Nina Simone
        Lovely Day,Bill Withers
        Four Women,Nina Simone

        """

    /// The words of the section's commands.
    private static func commands() throws -> [[String]] {
        let article = try RepositoryFile.text("Sources/SectionedFetch/Documentation.docc/Importing.md")
        let section = try #require(article.components(separatedBy: "## A column as a related object").last)
        let listing = try #require(section.components(separatedBy: "```").dropFirst().first)
        return listing.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map(String.init) }
    }

    @Test func `the commands of the section make the names in its table`() throws {
        let file = try LibraryImportFile("Song.csv", Self.songs)
        let runs = try Self.commands().map { words in
            try ToolProcess.run(
                executable: URL(filePath: ToolProcess.path(words[0])), Array(words.dropFirst()),
                environment: ["XDG_CACHE_HOME": file.directory.path("caches")], directory: file.directory.url)
        }
        #expect(runs.map(\.status) == [0, 0], "\(runs)")
        #expect(runs[0].errors.contains("“Artist” becomes Song.artist, the Artist with this name."))
        let headings = runs[1].lines.filter { $0.hasSuffix("  1") || $0.hasSuffix("  2") }
        #expect(headings == ["Bill Withers  1", "Nina Simone  2"], "\(runs[1])")

        let model = try PersistentContainer(url: file.directory.file("songs.store")).model
        let song = try #require(model.entity(named: "Song"))
        let artist = try #require(model.entity(named: "Artist"))
        #expect(song.attributes.map(\.name) == ["Title"])
        #expect(song.relationships.map(\.name) == ["artist"])
        #expect(song.relationships.map(\.destinationEntityName) == ["Artist"])
        #expect(artist.attributes.map(\.name) == ["name"] && artist.attributes[0].isUnique)
        #expect(artist.relationships.map(\.name) == ["objectsByArtist"])
        #expect(artist.relationships.map(\.isToMany) == [true])
    }

    @Test func `the names of the relationship and of the attribute can be chosen`() throws {
        let file = try LibraryImportFile("Song.csv", Self.songs)
        let counts = try file.counts(["--relationship", "performer:Artist=Person.fullName"])
        #expect(counts == LibraryImportCounts(inserted: 3, createdRelated: 2))
        #expect(
            try file.rows("Person", ["fullName"]) == [[.text("Nina Simone")], [.text("Bill Withers")]])
        #expect(try file.openStore().model.entity(named: "Song")?.relationships.map(\.name) == ["performer"])
    }
}
