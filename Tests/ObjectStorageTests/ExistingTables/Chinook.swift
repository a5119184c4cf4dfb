import CheckSupport
import Foundation
import ObjectStorage

/// Classes that map a music database of another program, with other names, a collation, a generated column
/// and unmapped columns.
final class ChinookArtist: ManagedObject {
    override class var entityName: String { "Artist" }
    override class var existingTable: ExistingTable? {
        ExistingTable(name: "artists", primaryKey: "ArtistId")
    }
    @Attribute var name: String = ""
    @Relationship var albums: Set<ChinookAlbum>
}

final class ChinookAlbum: ManagedObject {
    override class var entityName: String { "Album" }
    override class var existingTable: ExistingTable? {
        ExistingTable(
            name: "albums", primaryKey: "AlbumId",
            columns: ["artist": "ArtistId", "released": "Release Date", "price": "price.in €"])
    }
    @Attribute var title: String = ""
    @Attribute var released: Date?
    @Attribute var price: Decimal?
    @Attribute var rating: Double?
    @Relationship(inverse: \ChinookArtist.albums) var artist: ChinookArtist?
    @Relationship(deleteRule: .cascade) var tracks: Set<ChinookTrack>
}

final class ChinookTrack: ManagedObject {
    override class var entityName: String { "Track" }
    override class var existingTable: ExistingTable? {
        ExistingTable(name: "tracks", primaryKey: "TrackId", columns: ["album": "AlbumId"])
    }
    @Attribute var name: String?
    @Attribute var milliseconds: Int64 = 0
    @Relationship(inverse: \ChinookAlbum.tracks) var album: ChinookAlbum?
    @Relationship(inverse: \ChinookPlaylist.tracks) var playlists: Set<ChinookPlaylist>
}

final class ChinookPlaylist: ManagedObject {
    override class var entityName: String { "Playlist" }
    override class var existingTable: ExistingTable? {
        ExistingTable(
            name: "playlists", primaryKey: "PlaylistId",
            links: [
                "tracks": ExistingLinkTable(
                    name: "playlist_track", ownColumn: "PlaylistId", otherColumn: "TrackId")
            ])
    }
    @Attribute var name: String = ""
    @Relationship var tracks: Set<ChinookTrack>
}

/// A music database that the sqlite3 shell creates.
final class Chinook {
    static let schema = """
        CREATE TABLE artists (ArtistId INTEGER PRIMARY KEY, Name TEXT NOT NULL COLLATE NOCASE);
        CREATE TABLE albums (
            AlbumId INTEGER NOT NULL PRIMARY KEY, Title TEXT NOT NULL,
            ArtistId INTEGER REFERENCES artists (ArtistId), "Release Date" NUMERIC, "price.in €" NUMERIC,
            rating, note TEXT NOT NULL DEFAULT 'none',
            shout TEXT GENERATED ALWAYS AS (upper(Title)) VIRTUAL);
        CREATE TABLE tracks (
            TrackId INTEGER PRIMARY KEY, Name TEXT, AlbumId INTEGER NOT NULL REFERENCES albums,
            milliseconds INTEGER NOT NULL CHECK (milliseconds >= 0));
        CREATE TABLE playlists (PlaylistId INTEGER PRIMARY KEY, Name TEXT NOT NULL);
        CREATE TABLE playlist_track (
            PlaylistId INTEGER NOT NULL REFERENCES playlists, TrackId INTEGER NOT NULL REFERENCES tracks,
            PRIMARY KEY (PlaylistId, TrackId));
        CREATE INDEX track_album ON tracks (AlbumId);
        """

    static let rows = """
        INSERT INTO artists VALUES (1, 'AC/DC'), (2, 'Accept'), (3, 'accept'), (7, 'Björk');
        INSERT INTO albums (AlbumId, Title, ArtistId, "Release Date", "price.in €", rating) VALUES
            (1, 'Powerage', 1, 0, 9.5, 5), (2, 'Breaker', 2, 86400, 10, 4.5), (3, 'breaker', 3, NULL, NULL, NULL);
        INSERT INTO tracks VALUES (1, 'Riff Raff', 1, 312000), (2, 'Starlight', 2, 233000), (3, NULL, 2, 0);
        INSERT INTO playlists VALUES (1, 'Loud'), (2, 'Quiet');
        INSERT INTO playlist_track VALUES (1, 1), (1, 2), (2, 3);
        """

    let directory: TemporaryDirectory
    let url: URL

    init(schema: String = Chinook.schema, rows: String = Chinook.rows) throws {
        directory = try TemporaryDirectory()
        url = directory.file("shop.db")
        try sqlite(schema + rows)
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            types: ChinookArtist.self, ChinookAlbum.self, ChinookTrack.self, ChinookPlaylist.self)
    }

    func open(_ existingTables: StoreOptions.ExistingTables? = .tracked) throws -> PersistentContainer {
        try PersistentContainer(
            url: url, model: Self.model(), options: StoreOptions(existingTables: existingTables))
    }

    /// Runs SQL in the sqlite3 shell and returns its output without the last line break.
    @discardableResult
    func sqlite(_ sql: String) throws -> String {
        try Library.output(of: sql, path: url.path).trimmingCharacters(in: .newlines)
    }

    /// Returns the schema and SQLite's schema version, which increases with each change of the schema.
    func schema() throws -> String { try sqlite("PRAGMA schema_version; SELECT * FROM sqlite_schema") }
}

/// The two ways to open a database of another program.
let bothWays: [StoreOptions.ExistingTables] = [.tracked, .untracked]
