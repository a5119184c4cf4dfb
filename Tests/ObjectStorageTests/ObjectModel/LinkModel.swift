import ObjectStorage

/// Songs with relationships of every kind: one-way, ordered over foreign keys, ordered over a link table,
/// symmetric, and one-to-one.
enum LinkModel {
    final class Song: ManagedObject {
        @Attribute var title: String = ""
        @Relationship var genres: Set<Tag>
        @Relationship(inverse: \Album.songs) var album: Album?
        @Relationship(inverse: \Playlist.songs) var playlists: Set<Playlist>
        @Relationship(inverseNamed: "covers") var covers: Set<Song>
        @Relationship(deleteRule: .cascade) var lyrics: Lyrics?
        @Relationship(inverseNamed: "answer") var answer: Song?
    }

    final class Lyrics: ManagedObject {
        @Attribute var text: String = ""
        @Relationship(inverse: \Song.lyrics) var song: Song?
    }

    final class Tag: ManagedObject {
        @Attribute(.unique) var name: String = ""
    }

    final class Album: ManagedObject {
        @Attribute var title: String = ""
        @Relationship var songs: [Song]
    }

    final class Playlist: ManagedObject {
        @Attribute var name: String = ""
        @Relationship var songs: [Song]
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(types: Song.self, Lyrics.self, Tag.self, Album.self, Playlist.self)
    }
}
