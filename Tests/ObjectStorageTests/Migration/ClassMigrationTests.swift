import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The first version of an app's classes; `Second` and `Third` are alternatives that follow it.
private enum First {
    final class Track: ManagedObject {
        @Attribute var title: String = ""
        @Relationship(inverse: \Singer.tracks) var singer: Singer?
    }
    final class Singer: ManagedObject {
        @Attribute var name: String = ""
        @Relationship var tracks: Set<Track>
    }
}

private enum Second {
    class Recording: ManagedObject {
        override class var renamingIdentifier: String? { "Track" }
        @Attribute var title: String = ""
        @Relationship(
            inverse: \Performer.recordings, details: .init(allowedCount: 1...2, renamingIdentifier: "singer"))
        var performers: Set<Performer>
    }
    /// Inherits the superclass's renaming identifier, which applies to the superclass only.
    final class LiveRecording: Recording {
        @Attribute var place: String = ""
    }
    final class Performer: ManagedObject {
        override class var renamingIdentifier: String? { "Singer" }
        @Attribute var name: String = ""
        @Relationship(details: .init(renamingIdentifier: "tracks")) var recordings: [Recording]
        @Relationship(details: .init(isOptional: false)) var agent: Performer?
    }
}

private enum Third {
    final class Track: ManagedObject {
        @Attribute var title: String = ""
        @Relationship(inverse: \Vocalist.tracks) var singer: Vocalist?
    }
    final class Vocalist: ManagedObject {
        @Attribute var name: String = ""
        @Relationship var tracks: Set<Track>
    }
}

@Suite final class ClassMigrationTests {
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("songs.sqlite")
    }

    private func makeFirst() throws {
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: First.Track.self, First.Singer.self))
        let context = container.newContext()
        let singer = First.Singer(context: context)
        singer.name = "Nina"
        for title in ["Sinnerman", "Lilac Wine"] {
            let track = First.Track(context: context)
            track.title = title
            track.singer = singer
        }
        try context.save()
    }

    @Test func `classes and relationships are renamed, and related objects are kept`() throws {
        try makeFirst()
        let model = try ManagedObjectModel(
            types: Second.Recording.self, Second.LiveRecording.self, Second.Performer.self)
        #expect(model.entity(named: "LiveRecording")?.renamingIdentifier == nil)
        // The agent is required and no row has one; the error is thrown before anything is changed.
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(url: url, model: model)
        }
        #expect(error?.propertyName == "agent")
        let step = MigrationStep(of: "Performer") { _ in ["agent": .integer(1)] }
        let container = try PersistentContainer(
            url: url, model: model, options: StoreOptions(migrationSteps: [step]))
        let context = container.newContext()
        let performer = try #require(try context.fetch(FetchRequest<Second.Performer>()).first)
        #expect(performer.name == "Nina")
        #expect(performer.agent === performer)
        #expect(Set(performer.recordings.map(\.title)) == ["Sinnerman", "Lilac Wine"])
        #expect(performer.recordings.allSatisfy { $0.performers == [performer] })
    }

    @Test func `a save checks the details of relationships`() throws {
        let model = try ManagedObjectModel(
            types: Second.Recording.self, Second.LiveRecording.self, Second.Performer.self)
        let context = try PersistentContainer(url: url, model: model).newContext()
        let recording = Second.LiveRecording(context: context)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        let performer = Second.Performer(context: context)
        recording.performers = [performer]
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.propertyName == "agent")
        performer.agent = performer
        try context.save()
    }

    @Test func `a renamed class without a renaming identifier is refused with a remedy`() throws {
        try makeFirst()
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: url, model: ManagedObjectModel(types: Third.Track.self, Third.Vocalist.self))
        }
        #expect(error?.code == .modelMismatch)
        #expect(error?.message.contains("renamingIdentifier") == true)
    }

    @Test func `a model refuses two entities with one previous name, and bounds of a to-one relationship`() {
        let entity = { (name: String) in
            EntityDescription(name: name, attributes: [], renamingIdentifier: "Old")
        }
        #expect(throws: ObjectStorageError.self) {
            try ManagedObjectModel(entities: [entity("A"), entity("B")])
        }
        enum Bounded {
            final class Item: ManagedObject {
                @Relationship(details: .init(allowedCount: 1...3)) var other: Item?
            }
        }
        let error = #expect(throws: ObjectStorageError.self) {
            try ManagedObjectModel(types: Bounded.Item.self)
        }
        #expect(error?.propertyName == "other")
    }
}
