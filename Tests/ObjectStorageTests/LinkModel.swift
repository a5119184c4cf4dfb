import ObjectStorage

/// Songs with links of every kind: one way, ordered by keys, ordered in a table of links, and to songs again.
enum LinkModel {
    final class Song: ManagedObject {
        @Attribute var title: String = ""
        @Relationship var genres: Set<Tag>
        @Relationship(inverse: \Album.songs) var album: Album?
        @Relationship(inverse: \Playlist.songs) var playlists: Set<Playlist>
        @Relationship(inverseNamed: "covers") var covers: Set<Song>
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
        try ManagedObjectModel(types: Song.self, Tag.self, Album.self, Playlist.self)
    }
}
