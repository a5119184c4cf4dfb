import Foundation
import ObjectStorage
import CheckSupport

extension ManagedObjectContext {
    /// Makes one random change to the songs that this context shows, or to the objects that they are linked
    /// with.
    ///
    /// - Parameter step: A number that makes the names of new objects unique.
    func changeLinksAtRandom(step: Int, _ generator: inout SeededGenerator) throws {
        typealias Song = LinkModel.Song
        let songs = try fetch(FetchRequest<Song>(sortDescriptors: [.ascending(\.title)]))
        let tags = try fetch(FetchRequest<LinkModel.Tag>(sortDescriptors: [.ascending(\.name)]))
        let albums = try fetch(FetchRequest<LinkModel.Album>(sortDescriptors: [.ascending(\.title)]))
        let playlists = try fetch(FetchRequest<LinkModel.Playlist>(sortDescriptors: [.ascending(\.name)]))
        let texts = try fetch(FetchRequest<LinkModel.Lyrics>(sortDescriptors: [.ascending(\.text)]))
        guard let song = songs.randomElement(using: &generator), Int.random(in: 0..<5, using: &generator) > 0
        else {
            let song = Song(context: self)
            song.title = "s\(step)"
            song.genres = Set(tags.prefix(Int.random(in: 0...2, using: &generator)))
            song.album = albums.randomElement(using: &generator)
            return
        }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: LinkModel.Tag(context: self).name = "t\(step)"
        case 1: LinkModel.Album(context: self).title = "a\(step)"
        case 2: LinkModel.Playlist(context: self).name = "p\(step)"
        case 3:
            let text = LinkModel.Lyrics(context: self)
            text.text = "l\(step)"
            text.song = song
        case 4: song.lyrics = texts.randomElement(using: &generator)
        case 5: texts.randomElement(using: &generator)?.song = song
        case 6: song.answer = songs.randomElement(using: &generator)
        case 7: song.answer = nil
        case 8: song.album = albums.randomElement(using: &generator)
        case 9...10: albums.randomElement(using: &generator)?.songs.edit(with: songs, &generator)
        case 11...12: playlists.randomElement(using: &generator)?.songs.edit(with: songs, &generator)
        case 13:
            if let tag = tags.randomElement(using: &generator) { song.genres.formSymmetricDifference([tag]) }
        case 14:
            if let playlist = playlists.randomElement(using: &generator) {
                song.playlists.formSymmetricDifference([playlist])
            }
        case 15:
            if let other = songs.randomElement(using: &generator) {
                song.covers.formSymmetricDifference([other])
            }
        case 16: song.title = "s\(step)"
        case 17: delete(song)
        case 18: if let tag = tags.randomElement(using: &generator) { delete(tag) }
        default:
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: if let album = albums.randomElement(using: &generator) { delete(album) }
            case 1: if let playlist = playlists.randomElement(using: &generator) { delete(playlist) }
            default: if let text = texts.randomElement(using: &generator) { delete(text) }
            }
        }
    }
}

extension Array where Element == LinkModel.Song {
    /// Moves, removes or inserts a random element, or reverses the order.
    fileprivate mutating func edit(with songs: [Element], _ generator: inout SeededGenerator) {
        let new = songs.filter { !contains($0) }.randomElement(using: &generator)
        switch (Int.random(in: 0..<6, using: &generator), indices.randomElement(using: &generator)) {
        case (0, let index?): remove(at: index)
        case (1...2, let index?): insert(remove(at: index), at: Int.random(in: 0...count, using: &generator))
        case (3, _?): reverse()
        default: if let new { insert(new, at: Int.random(in: 0...count, using: &generator)) }
        }
    }
}

extension LinkModel {
    /// Returns each object with its linked objects, from both ends, as text; ordered relationships keep their
    /// order.
    static func content(_ context: ManagedObjectContext) throws -> [String] {
        let songs = try context.fetch(FetchRequest<Song>()).map { song in
            let sets = [song.genres.map(\.name), song.playlists.map(\.name), song.covers.map(\.title)]
                .map { $0.sorted().joined(separator: ",") }
            let single = [song.album?.title, song.lyrics?.text, song.answer?.title].map { $0 ?? "-" }
            return "song \(song.title): \((sets + single).joined(separator: "; "))"
        }
        let lists =
            try context.fetch(FetchRequest<Album>()).map { "album \($0.title): \($0.songs.map(\.title))" }
            + context.fetch(FetchRequest<Playlist>()).map { "playlist \($0.name): \($0.songs.map(\.title))" }
        let rest =
            try context.fetch(FetchRequest<Tag>()).map { "tag \($0.name)" }
            + context.fetch(FetchRequest<Lyrics>()).map { "lyrics \($0.text): \($0.song?.title ?? "-")" }
        return (songs + lists + rest).sorted()
    }
}

extension Library {
    /// Returns whether each row of the link tables and each foreign key connects two existing objects.
    func hasNoLooseLinks() throws -> Bool {
        let tables = [
            ("Playlist.songs", "Playlist", "Song"), ("Song.genres", "Song", "Tag"),
            ("Song.covers", "Song", "Song"),
        ]
        let columns = [("Song", "album", "Album"), ("Song", "answer", "Song"), ("Lyrics", "song", "Song")]
        let loose =
            tables.map { links, from, to in
                """
                SELECT source FROM "\(links)"
                WHERE source NOT IN (SELECT objectID FROM \(from)) OR target NOT IN (SELECT objectID FROM \(to))
                """
            }
            + columns.map { from, column, to in
                "SELECT \(column) FROM \(from) WHERE \(column) > 0 AND \(column) NOT IN (SELECT objectID FROM \(to))"
            }
        return try Self.output(
            of: loose.joined(separator: " UNION ALL "), path: directory.file("library.sqlite").path
        ) == ""
    }
}
