import CheckSupport
import Foundation
import ModelReading
import ObjectStorage
import Testing

/// A model from a file with classes for its entities. The folder `Generated` contains the files that
/// `model-tool` writes for the model; a test of the tool compares both.
@Suite struct ClassBindingTests {
    private static let url = ModelSamples.resources.appending(path: "Tour.xcdatamodeld")
    private static let classes: [ManagedObject.Type] = [
        TourEvent.self, Concert.self, Artist.self, Piece.self, SetObject.self,
    ]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(dataModel: url, classes: classes)
    }

    @Test func `generated classes fit their model, and new objects have its defaults`() throws {
        let model = try Self.model()
        #expect(model.versionDigest == (try DataModel(contentsOf: Self.url).model.versionDigest))
        #expect(model.entity(named: "Event")?.objectType == TourEvent.self)
        let concert = Concert(context: try PersistentContainer(inMemoryWith: model).newContext())
        #expect(concert.title == "A \"new\"\n\\one" && concert.`class` == "first" && concert.key == nil)
        #expect(concert.start == Date(timeIntervalSinceReferenceDate: 600_000_000))
        #expect(concert.count16 == -3 && concert.count32 == 0 && concert.count64 == .max)
        #expect(concert.price?.description == "12345678901234567890.125")
        #expect(concert.share == 0.1 && concert.ratio == 0.1 && concert.isOpen && !concert.isSelected)
        #expect(concert.code.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        #expect(concert.page.absoluteString == "https://example.org/a?b=c")
        #expect(concert.photo == nil && concert.place == nil && concert.tags.isEmpty)
    }

    @Test func `classes alone make the entities of the file, except for parts that they cannot declare`()
        throws
    {
        let file = try Self.model()
        let classes = try ManagedObjectModel(types: Self.classes)
        for entity in file.entities {
            let declared = try #require(classes.entity(named: entity.name))
            let expected = entity.attributes.filter {
                !["description", "no swift name", "extra"].contains($0.name)
            }
            #expect(declared.attributes.map(\.description) == expected.map(\.description))
            #expect(declared.relationships.map(\.description) == entity.relationships.map(\.description))
            #expect(declared.isAbstract == entity.isAbstract && declared.parentName == entity.parentName)
            #expect(declared.renamingIdentifier == entity.renamingIdentifier)
        }
    }

    @Test func `objects of generated classes are saved and read again`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("tour.sqlite")
        let context = try PersistentContainer(url: url, model: Self.model()).newContext()
        let artist = Artist(context: context)
        artist.name = "Nina"
        artist.friends = [artist]
        let tag = SetObject(context: context)
        tag.word = "jazz"
        let concert = Concert(context: context)
        concert.title = "Été"
        concert.place = Place(latitude: 3, longitude: -4)
        concert.photo = Data(repeating: 7, count: 20_000)
        concert["no swift name"] = "x"
        concert.artists = [artist]
        concert.tags = [tag]
        concert.pieces = (1...3).map { seconds in
            let piece = Piece(context: context)
            piece.seconds = Int32(seconds)
            return piece
        }
        artist.`default` = concert.pieces[1]
        let encore = Concert(context: context)
        encore.code = UUID()
        encore.artists = [artist]
        concert.encore = encore
        try context.save()
        let again = try PersistentContainer(url: url, model: Self.model()).newContext()
        let events = try again.fetch(FetchRequest<TourEvent>(predicate: \.key == "ete"))
        let read = try #require(events.first as? Concert)
        #expect(events.count == 1 && read["no swift name"] == "x")
        #expect(read.place == Place(latitude: 3, longitude: -4) && read.photo?.count == 20_000)
        #expect(read.pieces.map(\.seconds) == [1, 2, 3] && read.tags.map(\.word) == ["jazz"])
        #expect(read.artists.first?.name == "Nina" && read.artists.first?.eventCount == 2)
        #expect(read.artists.first?.friends == read.artists && read.encore?.main == read)
        #expect(read.artists.first?.`default` == read.pieces[1])
        #expect(read.readError == nil)
        let count = try PersistentContainer(url: url).newContext()
            .count(for: FetchRequest<ManagedObject>(entityName: "Piece"))
        #expect(count == 3)
    }

    private class PlainEvent: ManagedObject {
        override class var entityName: String { "Event" }
        @Attribute var title: String
    }

    @Test func `objects of an entity without a class have the class of its parent`() throws {
        let model = try ManagedObjectModel(dataModel: Self.url, classes: [PlainEvent.self])
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        let concert = try context.insert(entityNamed: "Concert")
        let artist = try context.insert(entityNamed: "Artist")
        artist["name"] = "Nina"
        try concert.setRelatedObjects([artist], forRelationship: "artists")
        #expect(!(artist is PlainEvent))
        (concert as? PlainEvent)?.title = "Ode"
        try context.save()
        let events = try context.fetch(FetchRequest<PlainEvent>(predicate: \.title == "Ode"))
        #expect(events == [concert] && events[0].entity.name == "Concert" && events[0]["hall"] == .null)
    }

    private final class PlainConcert: PlainEvent {
        override class var entityName: String { "Concert" }
    }

    private final class OtherEvent: ManagedObject {
        override class var entityName: String { "Event" }
    }

    @Test func `an entity with a class of its own keeps it when its parent gets one`() throws {
        let untyped = try DataModel(contentsOf: Self.url).model
        let concert = try untyped.binding([PlainConcert.self])
        #expect(concert.entity(named: "Event")?.objectType == ManagedObject.self)
        let both = try concert.binding([PlainEvent.self])
        #expect(both.entity(named: "Concert")?.objectType == PlainConcert.self)
        #expect(both.entity(named: "Event")?.objectType == PlainEvent.self)
        let context = try PersistentContainer(inMemoryWith: both).newContext()
        #expect(try context.insert(entityNamed: "Concert") is PlainConcert)
        // A class that an entity has from its parent is not its own.
        let first = try untyped.binding([PlainEvent.self])
        #expect(first.entity(named: "Concert")?.objectType == PlainEvent.self)
        let second = try first.binding([OtherEvent.self])
        #expect(second.entity(named: "Concert")?.objectType == OtherEvent.self)
        // Its own class would have to be derived from the parent's.
        let error = ModelSamples.error { try concert.binding([OtherEvent.self]) }
        #expect(error?.code == .invalidModel && error?.message.contains("PlainConcert") == true)
    }

    private final class Piece1: ManagedObject {
        override class var entityName: String { "Piece" }
        @Attribute var seconds: Int64?
    }

    private final class Piece2: ManagedObject {
        override class var entityName: String { "Piece" }
        @Attribute var seconds: Int32 = 0
    }

    private final class Piece3: ManagedObject {
        override class var entityName: String { "Piece" }
        @Attribute var second: Int32?
    }

    private final class Piece4: ManagedObject {
        override class var entityName: String { "Piece" }
        @Attribute var seconds: Int32? = 7
    }

    private final class Piece5: ManagedObject {
        override class var entityName: String { "Piece" }
        @Relationship var concert: Set<Concert>
    }

    private final class Piece6: ManagedObject {
        override class var entityName: String { "Piece" }
        @Relationship var concert: Artist?
    }

    private final class Piece7: ManagedObject {
        override class var entityName: String { "Piece" }
        @Relationship(inverse: \Concert.main, deleteRule: .cascade) var concert: Concert?
    }

    private final class Piece8: ManagedObject {
        override class var entityName: String { "Piece" }
        @Attribute(.transient) var seconds: Int32?
    }

    private final class Piece9: ManagedObject {
        override class var entityName: String { "Piece" }
        @Attribute(details: .init(rules: [.minimum(0)])) var seconds: Int32?
    }

    private final class Band: ManagedObject {}

    private final class LoneConcert: ManagedObject {
        override class var entityName: String { "Concert" }
    }

    private static let misfits: [(ManagedObject.Type, String?, String)] = [
        (Piece1.self, "seconds", "it is of type integer64, but that of the entity is of type integer32"),
        (Piece2.self, "seconds", "it is not optional"), (Piece3.self, "second", "no such property"),
        (Piece4.self, "seconds", "it is 7 by default, but that of the entity is without a default"),
        (Piece5.self, "concert", "it is to many, but that of the entity is to one"),
        (Piece6.self, "concert", "it leads to “Artist”, but that of the entity leads to “Concert”"),
        (Piece7.self, "concert", "its delete rule is cascade, but that of the entity is nullify"),
        (Piece8.self, "seconds", "it is transient, but that of the entity is stored"),
        (Piece9.self, "seconds", "must be at least 0"), (Band.self, nil, "the model has no entity “Band”"),
        (LoneConcert.self, nil, "LoneConcert is not derived from TourEvent"),
    ]

    @Test(arguments: misfits.indices)
    func `a class that does not fit is refused with the class, the property and the difference`(
        position: Int
    ) throws {
        let (type, property, words) = Self.misfits[position]
        let others = Self.classes.filter { $0.entityName != type.entityName }
        let error = try #require(
            ModelSamples.error { try ManagedObjectModel(dataModel: Self.url, classes: others + [type]) })
        #expect(error.code == .invalidModel && error.message.contains(words), "\(error.message)")
        #expect(error.message.contains("\(type)") && error.propertyName == property)
    }

    @Test func `a relationship to a class that is not passed is refused`() throws {
        let error = try #require(
            ModelSamples.error { try ManagedObjectModel(dataModel: Self.url, classes: [Piece.self]) })
        #expect(
            error.propertyName == "concert"
                && error.message.contains("Concert, which is not among the classes"))
        let twice = try #require(
            ModelSamples.error {
                try ManagedObjectModel(dataModel: Self.url, classes: Self.classes + [Piece1.self])
            })
        #expect(twice.message.contains("Piece has the same entity"))
    }
}
