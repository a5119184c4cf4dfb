import Foundation
import ModelReading
import ObjectStorage
import Testing

// The article “Models” shows these listings.

final class Album: ManagedObject {
    @Attribute var title: String = ""
    @Attribute(.indexed, details: .init(derivation: "canonical:(title)")) var searchTitle: String?
    @Attribute(details: .init(derivation: "tracks.@count")) var trackCount: Int64 = 0
    @Attribute(details: .init(derivation: "tracks.@sum.seconds")) var seconds: Int64 = 0
    @Attribute(details: .init(derivation: "now()")) var modified: Date?
    @Relationship var tracks: Set<Track>
}

final class Track: ManagedObject {
    @Attribute var seconds: Int64 = 0
    @Attribute(details: .init(derivation: "album.title")) var albumTitle: String?
    @Relationship(inverse: \Album.tracks) var album: Album?
}

@Suite struct ModelsListings {
    @Test func `a model file is read with its unsupported parts and versions`() throws {
        let url = ModelSamples.coreDataPlus.appending(path: "SampleModel.momd")
        let file = try DataModel(contentsOf: url)
        let container = try PersistentContainer(inMemoryWith: file.model)
        let names = try DataModel.versionNames(in: url)
        let second = try DataModel(contentsOf: url, version: "SampleModel2")
        #expect(names.count == 3 && second.versionName == "SampleModel2")
        #expect(container.model.entities.count == 4)
        for part in file.unsupportedParts { print(part) }
        let missing = file.unsupportedParts.filter(\.isPropertyMissing)
        #expect(missing.isEmpty && file.unsupportedParts.map(\.kind) == [.preservedValue])
    }

    @Test func `classes are bound to the entities of a file`() throws {
        let tour = ModelSamples.resources.appending(path: "Tour.xcdatamodeld")
        let model = try ManagedObjectModel(
            dataModel: tour, classes: [TourEvent.self, Concert.self, Artist.self, Piece.self, SetObject.self])
        #expect(model.entity(named: "Set")?.objectType == SetObject.self)
    }

    @Test func `derived values are available when the save returns`() throws {
        let model = try ManagedObjectModel(types: Album.self, Track.self)
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        let album = Album(context: context)
        album.title = "Élan"
        let track = Track(context: context)
        track.seconds = 200
        track.album = album
        try context.save()
        print(album.trackCount, album.seconds, track.albumTitle ?? "")
        #expect(album.trackCount == 1 && album.seconds == 200 && track.albumTitle == "Élan")
        #expect(album.searchTitle == "elan" && album.modified != nil)
    }
}
