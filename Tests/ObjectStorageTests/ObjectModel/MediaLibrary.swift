import CheckSupport
import Foundation
import ObjectStorage

/// Classes whose entities inherit from each other: media in three levels, and related entities.
class Media: ManagedObject {
    override class var isAbstractEntity: Bool { self == Media.self }
    @Attribute(.unique) var code: String?
    @Attribute(.indexed) var title: String = ""
    @Attribute var rating: Int32?
    @Relationship(inverse: \Maker.media) var maker: Maker?
    @Relationship(inverse: \Label.media) var labels: Set<Label>
}

class Audio: Media {
    @Attribute var duration: Double = 1
    @Relationship(inverse: \Mix.items) var playlist: Mix?
}

final class Tune: Audio {
    /// A number; the property of the same name in `Film` is a text.
    @Attribute(.indexed) var year: Int32?
    @Attribute(.unique) var number: Int32?
}

final class Podcast: Audio {
    @Attribute var feed: URL?
}

final class Film: Media {
    @Attribute var year: String?
    @Relationship var sequel: Film?
}

class Maker: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(deleteRule: .cascade) var media: Set<Media>
    @Relationship(inverse: \Maker.admirers) var favourite: Maker?
    @Relationship var admirers: Set<Maker>
    @Relationship var best: Media?
}

final class Band: Maker {
    @Attribute var members: Int16 = 1
}

final class Mix: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var items: [Audio]
}

final class Label: ManagedObject {
    @Attribute var word: String = ""
    @Relationship var media: Set<Media>
}

/// A store of media in a temporary directory.
struct MediaLibrary {
    let directory = try! TemporaryDirectory()
    let container: PersistentContainer
    var path: String { directory.file("media.sqlite").path }

    init() throws {
        container = try PersistentContainer(url: directory.file("media.sqlite"), model: Self.model())
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            types: Media.self, Audio.self, Tune.self, Podcast.self, Film.self, Maker.self, Band.self,
            Mix.self, Label.self)
    }

    /// Returns the output of the sqlite3 shell, one line for each row.
    func lines(_ sql: String) throws -> [String] { try Library.lines(of: sql, path: path) }

    func runElsewhere(_ sql: String) throws { try Library.runElsewhere(sql, path: path) }

    /// Returns a context with one saved object of each concrete entity of the two hierarchies.
    func filled() throws -> ManagedObjectContext {
        let context = container.newContext()
        let band = Band(context: context)
        band.name = "Band"
        let maker = Maker(context: context)
        maker.name = "Maker"
        let song = Tune(context: context)
        let podcast = Podcast(context: context)
        let film = Film(context: context)
        let audio = Audio(context: context)
        for (position, media) in [song, podcast, film, audio].enumerated() {
            media.title = ["Tune", "Podcast", "Film", "Audio"][position]
            media.code = "\(position)"
            media.maker = position < 2 ? band : maker
        }
        song.year = 1990
        song.duration = 4
        film.year = "1990"
        try context.save()
        return context
    }
}

/// Returns the storage error that a closure throws, or nil if it throws none.
func storageError(_ body: () throws -> Void) -> ObjectStorageError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ObjectStorageError
    }
}
