import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// Compares the rows that two contexts and another program write to external tables with those that
/// equivalent SQL writes to a copy of the database.
///
/// `SECTIONED_FETCH_EXISTING_OPERATIONS` sets the number of operations, and `SECTIONED_FETCH_EXISTING_SEED`
/// repeats a run.
@Suite struct RandomExistingTableTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let operations =
        environment["SECTIONED_FETCH_EXISTING_OPERATIONS"].flatMap(Int.init) ?? 300

    private final class Participant {
        let context: ManagedObjectContext
        /// The unsaved changes as SQL, evaluated when the keys of new objects are known.
        var statements: [() -> String] = []
        /// Objects that are kept alive so that they can become stale.
        var kept: [ManagedObject] = []
        /// Objects whose relationship was set since the last save: setting it back would leave no change.
        var moved: Set<ManagedObject> = []
        /// Pairs that were linked or unlinked since the last save, for the same reason.
        var paired: Set<[ManagedObject]> = []

        init(_ container: PersistentContainer) { context = container.newContext() }

        func any<Object: ManagedObject>(
            _ type: Object.Type, _ generator: inout SeededGenerator
        ) throws -> Object? {
            let object = try context.fetch(FetchRequest<Object>(sortDescriptors: [.ascending("objectID")]))
                .filter { !$0.isDeleted }.randomElement(using: &generator)
            if let object { kept.append(object) }
            return object
        }
    }

    private final class Run {
        let chinook: Chinook
        let copy: String
        let participants: [Participant]
        var generator: SeededGenerator
        private var numberOfWords = 0

        init(_ way: StoreOptions.ExistingTables, seed: UInt64) throws {
            chinook = try Chinook()
            copy = chinook.directory.file("copy.db").path
            try Library.runElsewhere(Chinook.schema + Chinook.rows, path: copy)
            let container = try chinook.open(way)
            participants = [Participant(container), Participant(try chinook.open(way))]
            generator = SeededGenerator(seed: seed)
        }

        /// Returns a new word, because setting a property to its present value is no change.
        func word() -> String {
            numberOfWords += 1
            return "w\(numberOfWords)"
        }

        func act() throws {
            let participant = participants[Int.random(in: 0..<2, using: &generator)]
            let context = participant.context
            switch Int.random(in: 0..<13, using: &generator) {
            case 0, 1: try insert(participant)
            case 2, 3: try change(participant)
            case 4: try moveAlbum(participant)
            case 5: try moveTrack(participant)
            case 6, 7: try link(participant)
            case 8:
                // A deletion depends on the references to the object at the time of the save, so nothing else
                // is saved with it.
                try save(participant)
                try delete(participant)
                try save(participant)
            case 9: try writeElsewhere()
            case 10: try batch(participant)
            case 11: try context.mergeChangesFromStore()
            default: try save(participant)
            }
        }

        private func insert(_ participant: Participant) throws {
            let (context, word) = (participant.context, word())
            let artist = ChinookArtist(context: context)
            artist.name = word
            participant.statements.append {
                "INSERT INTO artists VALUES (\(artist.objectID.primaryKey ?? 0), '\(word)')"
            }
            let album = ChinookAlbum(context: context)
            album.title = word
            album.artist = artist
            let track = ChinookTrack(context: context)
            track.album = album
            track.playlists = Set(try participant.any(ChinookPlaylist.self, &generator).map { [$0] } ?? [])
            participant.statements.append {
                let (albumKey, trackKey) = (album.objectID.primaryKey ?? 0, track.objectID.primaryKey ?? 0)
                return """
                    INSERT INTO albums (AlbumId, Title, ArtistId) VALUES (\(albumKey), '\(word)', \(artist.objectID.primaryKey ?? 0));
                    INSERT INTO tracks VALUES (\(trackKey), NULL, \(albumKey), 0);
                    INSERT INTO playlist_track SELECT PlaylistId, \(trackKey) FROM playlists
                        WHERE PlaylistId IN (\(track.playlists.compactMap { $0.objectID.primaryKey.map(String.init) }.joined(separator: ",")))
                    """
            }
        }

        private func change(_ participant: Participant) throws {
            guard let album = try participant.any(ChinookAlbum.self, &generator) else { return }
            let word = word()
            let price = numberOfWords
            album.title = word
            album.price = Decimal(price) / 4
            let key = { album.objectID.primaryKey ?? 0 }
            participant.statements.append {
                "UPDATE albums SET Title = '\(word)', \"price.in €\" = \(price) / 4.0 WHERE AlbumId = \(key())"
            }
        }

        private func moveAlbum(_ participant: Participant) throws {
            let artist = try participant.any(ChinookArtist.self, &generator)
            let target = Bool.random(using: &generator) ? artist : nil
            guard let album = try participant.any(ChinookAlbum.self, &generator), album.artist != target,
                participant.moved.insert(album).inserted
            else { return }
            album.artist = target
            participant.statements.append {
                "UPDATE albums SET ArtistId = (SELECT ArtistId FROM artists WHERE ArtistId = \(target?.objectID.primaryKey ?? 0)) WHERE AlbumId = \(album.objectID.primaryKey ?? 0)"
            }
        }

        private func moveTrack(_ participant: Participant) throws {
            guard let track = try participant.any(ChinookTrack.self, &generator),
                let album = try participant.any(ChinookAlbum.self, &generator), track.album != album,
                participant.moved.insert(track).inserted
            else { return }
            album.tracks.insert(track)
            participant.statements.append {
                "UPDATE tracks SET AlbumId = \(album.objectID.primaryKey ?? 0) WHERE TrackId = \(track.objectID.primaryKey ?? 0)"
            }
        }

        private func link(_ participant: Participant) throws {
            guard let track = try participant.any(ChinookTrack.self, &generator),
                let playlist = try participant.any(ChinookPlaylist.self, &generator),
                participant.paired.insert([playlist, track]).inserted
            else { return }
            // Deleted objects are not linked, because another row may have their key by now.
            let pair = {
                let isThere = !playlist.isDeleted && !track.isDeleted
                return isThere
                    ? "\(playlist.objectID.primaryKey ?? 0), \(track.objectID.primaryKey ?? 0)" : "NULL, NULL"
            }
            if playlist.tracks.contains(track) {
                playlist.tracks.remove(track)
                participant.statements.append {
                    "DELETE FROM playlist_track WHERE (PlaylistId, TrackId) = (\(pair()))"
                }
            } else {
                track.playlists.insert(playlist)
                participant.statements.append {
                    "INSERT OR IGNORE INTO playlist_track SELECT PlaylistId, TrackId FROM playlists, tracks WHERE (PlaylistId, TrackId) = (\(pair()))"
                }
            }
        }

        private func delete(_ participant: Participant) throws {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                guard let artist = try participant.any(ChinookArtist.self, &generator) else { return }
                let key = artist.objectID.primaryKey ?? 0
                participant.context.delete(artist)
                participant.statements.append {
                    "UPDATE albums SET ArtistId = NULL WHERE ArtistId = \(key); DELETE FROM artists WHERE ArtistId = \(key)"
                }
            case 1:
                guard let album = try participant.any(ChinookAlbum.self, &generator) else { return }
                let key = album.objectID.primaryKey ?? 0
                participant.context.delete(album)
                participant.statements.append { Self.deletion(ofAlbums: "\(key)") }
            default:
                guard let track = try participant.any(ChinookTrack.self, &generator) else { return }
                let key = track.objectID.primaryKey ?? 0
                participant.context.delete(track)
                participant.statements.append {
                    "DELETE FROM playlist_track WHERE TrackId = \(key); DELETE FROM tracks WHERE TrackId = \(key)"
                }
            }
        }

        private static func deletion(ofAlbums keys: String) -> String {
            """
            DELETE FROM playlist_track WHERE TrackId IN (SELECT TrackId FROM tracks WHERE AlbumId IN (\(keys)));
            DELETE FROM tracks WHERE AlbumId IN (\(keys)); DELETE FROM albums WHERE AlbumId IN (\(keys))
            """
        }

        private func writeElsewhere() throws {
            let (first, second) = (word(), word())
            let sql = [
                "UPDATE albums SET Title = '\(first)' WHERE AlbumId % 5 = \(numberOfWords % 5)",
                "INSERT INTO artists (Name) VALUES ('\(first)')",
                "DELETE FROM playlist_track WHERE TrackId % 3 = 0",
                "UPDATE artists SET Name = '\(first)' WHERE ArtistId % 5 = \(numberOfWords % 5)",
                "REPLACE INTO playlists VALUES (1, '\(first)')",
                "INSERT INTO playlists VALUES (3, 'x') ON CONFLICT DO UPDATE SET Name = '\(second)'",
            ].randomElement(using: &generator)!
            try chinook.sqlite(sql)
            try Library.runElsewhere(sql, path: copy)
        }

        private func batch(_ participant: Participant) throws {
            try save(participant)
            let word = try participant.any(ChinookAlbum.self, &generator)?.title ?? ""
            let request = FetchRequest<ChinookAlbum>(predicate: \.title == word)
            if Bool.random(using: &generator) {
                try participant.context.batchDelete(request)
                try Library.runElsewhere(
                    Self.deletion(ofAlbums: "SELECT AlbumId FROM albums WHERE Title = '\(word)'"), path: copy)
            } else {
                try participant.context.batchUpdate(request, set: [.set(\.rating, to: 1.5)])
                try Library.runElsewhere("UPDATE albums SET rating = 1.5 WHERE Title = '\(word)'", path: copy)
            }
        }

        /// Saves, and makes the same changes in the copy. A save that fails with a conflict is discarded on
        /// both sides.
        func save(_ participant: Participant) throws {
            let statements = participant.statements
            participant.statements = []
            participant.moved = []
            participant.paired = []
            do throws(ObjectStorageError) {
                try participant.context.save()
            } catch {
                #expect([.conflict, .constraintViolation].contains(error.code), "\(error)")
                participant.context.rollback()
                try participant.context.mergeChangesFromStore()
                return
            }
            guard !statements.isEmpty else { return }
            try Library.runElsewhere(statements.map { $0() }.joined(separator: ";\n"), path: copy)
        }

        private static let dump = """
            SELECT * FROM artists; SELECT AlbumId, Title, ArtistId, "price.in €", rating, note FROM albums;
            SELECT * FROM tracks; SELECT * FROM playlists; SELECT * FROM playlist_track ORDER BY 1, 2
            """

        func compare() throws {
            let rows = try chinook.sqlite(Self.dump).split(separator: "\n")
            let expected = try Library.output(of: Self.dump, path: copy).split(separator: "\n")
            #expect(rows == expected, "\(rows.difference(from: expected))")
        }

        /// Checks that the objects of each context equal the rows of the store after merging.
        func compareObjects() throws {
            for participant in participants {
                try save(participant)
            }
            for participant in participants {
                let context = participant.context
                try context.mergeChangesFromStore()
                let albums = try context.fetch(
                    FetchRequest<ChinookAlbum>(sortDescriptors: [.ascending("objectID")]))
                let lines = albums.map { album in
                    let tracks = album.tracks.compactMap(\.objectID.primaryKey).sorted().map(String.init)
                    return
                        "\(album.objectID.primaryKey ?? 0)|\(album.title)|\(album.artist?.name ?? "")|\(tracks.joined(separator: ","))"
                }
                let expected = try Library.output(
                    of: """
                        SELECT AlbumId, Title, Name, (SELECT group_concat(TrackId) FROM
                            (SELECT TrackId FROM tracks WHERE AlbumId = a.AlbumId ORDER BY TrackId))
                        FROM albums AS a LEFT JOIN artists USING (ArtistId) ORDER BY AlbumId
                        """, path: copy)
                #expect(lines.joined(separator: "\n") == expected.trimmingCharacters(in: .newlines))
                for object in participant.kept where !object.isDeleted {
                    #expect(throws: Never.self) { try context.existingObject(with: object.objectID) }
                }
            }
        }
    }

    @Test(arguments: bothWays)
    func `contexts and another program write the rows that plain SQL writes`(
        way: StoreOptions.ExistingTables
    ) throws {
        let seed =
            Self.environment["SECTIONED_FETCH_EXISTING_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
        print("External tables at random: SECTIONED_FETCH_EXISTING_SEED=\(seed) \(way)")
        let run = try Run(way, seed: seed)
        for number in 0..<Self.operations {
            try run.act()
            if number % 10 == 0 { try run.compare() }
        }
        try run.compareObjects()
        try run.compare()
        #expect(try run.chinook.sqlite("PRAGMA foreign_key_check") == "")
    }
}
