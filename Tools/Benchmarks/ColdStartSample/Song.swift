import Foundation
import SectionedFetch

/// The songs of the benchmark.
final class Song: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var section: String = ""
    @Attribute var year: Int32 = 0
    @Attribute var genre: String = ""
    @Attribute var duration: Int32 = 0
    @Attribute var added: Date = Date(timeIntervalSinceReferenceDate: 0)
    @Relationship(inverse: \Performer.songs) var artist: Performer?
}

/// The artists, whose names are a section key in a related table.
final class Performer: ManagedObject {
    @Attribute(.unique) var name: String = ""
    @Relationship var songs: Set<Song>
}

extension ManagedObjectModel {
    /// The benchmark's model.
    static func songs() throws -> ManagedObjectModel {
        try ManagedObjectModel(types: Song.self, Performer.self)
    }
}
