import CatalogueGenerator
import Foundation
import SectionedFetch

/// The entity of the benchmark, with the columns of a generated catalogue in their order.
final class Track: ManagedObject {
    @Attribute var key: Int64 = 0
    @Attribute var title: String = ""
    @Attribute var artist: String = ""
    @Attribute var album: String = ""
    @Attribute var year: Int32 = 0
    @Attribute var genre: String = ""
    @Attribute var section: String = ""
    @Attribute var duration: Int32 = 0
    @Attribute var added: Date = Date(timeIntervalSinceReferenceDate: 0)
}

extension Track {
    /// Sets all properties from a song of the catalogue, as a program does with a new object.
    func take(_ song: Song) {
        key = song.key
        title = song.title
        artist = song.artist
        album = song.album
        year = Int32(song.year)
        genre = song.genre
        section = song.section
        duration = Int32(song.durationInSeconds)
        added = Date(timeIntervalSinceReferenceDate: Double(song.addedInSecondsSince2001))
    }
}

extension ManagedObjectModel {
    /// The benchmark's model.
    static func tracks() throws -> ManagedObjectModel { try ManagedObjectModel(types: Track.self) }
}
