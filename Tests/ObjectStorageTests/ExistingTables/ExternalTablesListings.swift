import Foundation
import ObjectStorage
import Testing

/// The listings of the article “External Tables”.
@Suite struct ExternalTablesListings {
    final class Artist: ManagedObject {
        override class var existingTable: ExistingTable? {
            ExistingTable(name: "artists", primaryKey: "ArtistId")
        }
        @Attribute var name: String = ""
        @Relationship var albums: Set<Album>
    }

    final class Album: ManagedObject {
        override class var existingTable: ExistingTable? {
            ExistingTable(
                name: "albums", primaryKey: "AlbumId",
                columns: ["artist": "ArtistId", "released": "Release Date"],  // only where they differ
                forms: ["released": .unixSeconds])
        }
        @Attribute var title: String = ""
        @Attribute var released: Date?
        @Relationship(inverse: \Artist.albums) var artist: Artist?
    }

    final class Track: ManagedObject {
        override class var existingTable: ExistingTable? {
            ExistingTable(name: "tracks", primaryKey: "TrackId")
        }
        @Attribute var name: String?
        @Relationship(inverse: \Playlist.tracks) var playlists: Set<Playlist>
    }

    final class Playlist: ManagedObject {
        override class var existingTable: ExistingTable? {
            ExistingTable(
                name: "playlists", primaryKey: "PlaylistId",
                links: [
                    "tracks": ExistingLinkTable(
                        name: "playlist_track", ownColumn: "PlaylistId", otherColumn: "TrackId")
                ])
        }
        @Attribute var name: String = ""
        @Relationship var tracks: Set<Track>
    }

    @Test func `an entity is mapped to a table`() throws {
        let shop = try Chinook()
        let file = shop.url
        let container = try PersistentContainer(
            url: file, model: ManagedObjectModel(types: Album.self, Artist.self),
            options: StoreOptions(existingTables: .tracked))
        let context = container.newContext()
        let albums = try context.fetch(FetchRequest<Album>(predicate: \.title == "Breaker"))
        #expect(albums.map(\.released) == [Date(timeIntervalSince1970: 86_400)])
        #expect(albums.first?.artist?.name == "Accept")
    }

    @Test func `the tables of any database are entities`() throws {
        let shop = try Chinook()
        let file = shop.url
        let survey = try DatabaseSurvey(of: file)
        // Each has its role in the model, or the reason why it has none.
        for table in survey.tables { print(table) }
        let container = try PersistentContainer(
            url: file, model: survey.model,
            options: StoreOptions(isReadOnly: true, existingTables: .untracked))
        let context = container.newContext()
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "albums")) == 3)
    }

    @Test func `a relationship is mapped to a link table`() throws {
        let shop = try Chinook()
        let container = try PersistentContainer(
            url: shop.url, model: ManagedObjectModel(types: Playlist.self, Track.self),
            options: StoreOptions(existingTables: .tracked))
        let context = container.newContext()
        let loud = try context.fetch(FetchRequest<Playlist>(predicate: \.name == "Loud"))
        #expect(Set(loud.flatMap { $0.tracks.map(\.name) }) == ["Riff Raff", "Starlight"])
    }
}
