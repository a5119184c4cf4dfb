import ObjectStorage

/// The names in a store of songs, with tables of the library or external tables.
struct SongTables: Sendable {
    /// Whether the tables are external tables, on which entities are mapped.
    let isExisting: Bool
    let songs: String
    let key: String
    let singer: String
    let singers: String
    let singerKey: String
    let lists: String
    let listKey: String
    /// The pairs of songs and lists, a table without row IDs.
    let links: String
    let linkSong: String
    let linkList: String
    /// A table that no request reads.
    let remarks: String

    static let ours = SongTables(
        isExisting: false, songs: "Song", key: "objectID", singer: "singer", singers: "Singer",
        singerKey: "objectID", lists: "Playlist", listKey: "objectID", links: "\"Playlist.songs\"",
        linkSong: "target", linkList: "source", remarks: "Remark")

    /// The keys of the songs are not SQLite's row IDs, and genres are compared without regard to case.
    static let existing = SongTables(
        isExisting: true, songs: "songs", key: "id", singer: "singer_id", singers: "singers", singerKey: "id",
        lists: "lists", listKey: "id", links: "listed", linkSong: "song", linkList: "list",
        remarks: "remarks")

    /// The statements that create the external tables.
    static let existingSchema = """
        CREATE TABLE singers (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE songs (
            id INT NOT NULL PRIMARY KEY, title TEXT UNIQUE, genre TEXT COLLATE NOCASE, year INTEGER,
            released REAL, singer_id INTEGER REFERENCES singers ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE INDEX genres ON songs (genre COLLATE BINARY);
        CREATE TABLE lists (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE listed (
            song INTEGER NOT NULL REFERENCES songs ON DELETE CASCADE ON UPDATE CASCADE, list INTEGER NOT NULL,
            PRIMARY KEY (song, list)) WITHOUT ROWID;
        CREATE TABLE remarks (id INTEGER PRIMARY KEY, text TEXT);
        """

    /// Returns the model of the tables.
    func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Song",
                attributes: [
                    AttributeDescription(
                        name: "title", type: .string, isOptional: true, isUnique: !isExisting),
                    AttributeDescription(
                        name: "genre", type: .string, isOptional: true, isIndexed: !isExisting),
                    AttributeDescription(name: "year", type: .integer32, isOptional: true),
                    AttributeDescription(name: "released", type: .date, isOptional: true),
                ],
                relationships: [
                    .toOne("singer", to: "Singer", inverse: "songs"),
                    .toMany("lists", to: "Playlist", inverse: "songs"),
                ],
                existingTable: isExisting
                    ? ExistingTable(
                        name: songs, primaryKey: key, columns: ["singer": singer],
                        links: [
                            "lists": ExistingLinkTable(
                                name: links, ownColumn: linkSong, otherColumn: linkList)
                        ]) : nil),
            entity("Singer", "name", singers, [.toMany("songs", to: "Song", inverse: "singer")]),
            entity("Playlist", "name", lists, [.toMany("songs", to: "Song", inverse: "lists")]),
            entity("Remark", "text", remarks, []),
        ])
    }

    private func entity(
        _ name: String, _ attribute: String, _ table: String, _ relationships: [RelationshipDescription]
    ) -> EntityDescription {
        EntityDescription(
            name: name, attributes: [AttributeDescription(name: attribute, type: .string, isOptional: true)],
            relationships: relationships,
            existingTable: isExisting ? ExistingTable(name: table, primaryKey: "id") : nil)
    }
}
