import Foundation
import ObjectStorage
import Testing

@Suite struct InheritanceModelTests {
    private static let string = AttributeDescription(name: "a", type: .string)

    @Test func `an entity has inherited properties before its own`() throws {
        let model = try MediaLibrary.model()
        let song = try model.requireEntity(named: "Tune")
        #expect(song.attributes.map(\.name) == ["code", "title", "rating", "duration", "year", "number"])
        #expect(song.relationships.map(\.name) == ["maker", "labels", "playlist"])
        #expect(song.parentName == "Audio" && !song.isAbstract)
        #expect(model.entity(named: "Media")?.subentityNames == ["Audio", "Tune", "Podcast", "Film"])
        #expect(song.isKind(ofEntityNamed: "Media") && !song.isKind(ofEntityNamed: "Film"))
        #expect(model.entity(named: "Media")?.isAbstract == true)
    }

    @Test func `a class whose superclass is not in the model has all properties itself`() throws {
        let model = try ManagedObjectModel(types: Audio.self, Maker.self, Label.self, Mix.self, Media.self)
        #expect(model.entity(named: "Audio")?.parentName == "Media")
        let alone = try ManagedObjectModel(types: Loner.self)
        #expect(alone.description == "Loner\n  a: string = “”\n  b: string = “”")
        let context = try PersistentContainer(inMemoryWith: alone).newContext()
        let loner = Loner(context: context)
        loner.a = "x"
        try context.save()
        #expect(try context.fetch(FetchRequest<Loner>(predicate: \.a == "x")) == [loner])
    }

    @Test func `a model's description lists each entity's declared properties and its parent`() throws {
        #expect(
            try MediaLibrary.model().description.contains(
                """
                Media, abstract
                  code: string?, unique
                  title: string = “”, indexed
                  rating: integer32?
                  maker → Maker.media?
                  labels → many Label.media
                Audio: Media
                  duration: double = 1.0
                  playlist → Mix.items?
                """))
    }

    @Test func `a model with inheritance is equal after a round trip through JSON or its entities`() throws {
        let model = try MediaLibrary.model()
        let again = try ManagedObjectModel(jsonText: model.jsonText())
        #expect(again.versionDigest == model.versionDigest)
        #expect(try again.jsonText() == model.jsonText())
        let third = try ManagedObjectModel(entities: model.entities)
        #expect(third.versionDigest == model.versionDigest)
        #expect(third.entity(named: "Tune")?.attributes == model.entity(named: "Tune")?.attributes)
    }

    @Test func `the digest depends on the parent, abstractness and descendants`() throws {
        func digest(_ parent: String?, isAbstract: Bool, more: Bool) throws -> [[UInt8]] {
            var entities = [
                EntityDescription(name: "A", isAbstract: isAbstract, attributes: [Self.string]),
                EntityDescription(name: "B", parentName: parent, attributes: []),
            ]
            if more { entities.append(EntityDescription(name: "C", parentName: "A", attributes: [])) }
            return try ManagedObjectModel(entities: entities).entities.prefix(2).map(\.versionDigest)
        }
        let plain = try digest(nil, isAbstract: false, more: false)
        let child = try digest("A", isAbstract: false, more: false)
        let abstract = try digest("A", isAbstract: true, more: false)
        let more = try digest("A", isAbstract: false, more: true)
        #expect(Set([plain[0], child[0], abstract[0], more[0]]).count == 4)
        #expect(plain[1] != child[1] && child[1] == more[1])
        #expect(plain[0] == EntityDescription(name: "A", attributes: [Self.string]).versionDigest)
    }

    @Test(arguments: [
        ([("A", "B")], "does not have"), ([("A", "B"), ("B", "A")], "in turn"), ([("A", "A")], "in turn"),
    ])
    func `a missing or cyclic parent is an error`(parents: [(String, String)], words: String) throws {
        let error = storageError {
            _ = try ManagedObjectModel(
                entities: parents.map { EntityDescription(name: $0, parentName: $1, attributes: []) })
        }
        #expect(error?.code == .invalidModel && error?.entityName != nil)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "no error")")
    }

    @Test(arguments: ["a", "A"])
    func `an inherited property cannot be declared again`(name: String) throws {
        let error = storageError {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(name: "Parent", attributes: [Self.string]),
                EntityDescription(name: "Child", parentName: "Parent", attributes: []),
                EntityDescription(
                    name: "Grandchild", parentName: "Child",
                    attributes: [AttributeDescription(name: name, type: .string)]),
            ])
        }
        #expect(error?.code == .invalidModel && error?.entityName == "Grandchild")
        #expect(error?.propertyName == name && error?.message.contains("“Parent”") == true)
    }

    @Test func `siblings whose relationships cannot share a column are refused`() throws {
        let error = storageError {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(name: "P", attributes: []),
                EntityDescription(name: "X", attributes: []), EntityDescription(name: "Y", attributes: []),
                EntityDescription(
                    name: "A", parentName: "P", attributes: [], relationships: [.toOne("r", to: "X")]),
                EntityDescription(
                    name: "B", parentName: "P", attributes: [], relationships: [.toOne("r", to: "Y")]),
            ])
        }
        #expect(error?.code == .invalidModel && error?.entityName == "B" && error?.propertyName == "r")
    }

    @Test func `a class that is no subclass of its parent entity's class is refused`() throws {
        let error = storageError {
            _ = try ManagedObjectModel(entities: [
                EntityDescription(name: "P", attributes: [], objectType: Loner.self),
                EntityDescription(name: "A", parentName: "P", attributes: []),
            ])
        }
        #expect(error?.code == .invalidModel && error?.entityName == "A")
    }

    @Test func `a class that inherits abstractness from its superclass is refused`() throws {
        let error = storageError { _ = try ManagedObjectModel(types: Vague.self, Vaguer.self) }
        #expect(error?.code == .invalidModel && error?.entityName == "Vaguer")
        #expect(error?.message.contains("self ==") == true)
    }

    @Test func `an abstract entity cannot have objects`() throws {
        let library = try MediaLibrary()
        let context = library.container.newContext()
        for error in [
            storageError { try context.insert(Media.self) },
            storageError { try context.insert(entityNamed: "Media") },
            storageError { try context.batchInsert(Media.self, rows: [["title": "x"]]) },
            storageError { try library.container.write { _ = try $0.table("Media") } },
        ] {
            #expect(error?.code == .invalidRequest && error?.entityName == "Media")
            #expect(error?.message.contains("Tune") == true)
        }
    }

    @Test func `a hierarchy is one table, and the tables of other entities are unchanged`() throws {
        let library = try MediaLibrary()
        #expect(
            try library.lines("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 's%'")
                == ["Media", "Maker", "Mix", "Label", "Label.media"])
        #expect(
            try library.lines(
                "SELECT name || ' ' || type || ' ' || ifnull(dflt_value, '-') FROM pragma_table_info('Media')"
            )
                == [
                    "objectID INTEGER -", ".entity TEXT 'Media'", "code TEXT -", "title TEXT ''",
                    "rating INTEGER -", "duration REAL -", "year  -", "number INTEGER -", "feed TEXT -",
                    "maker INTEGER -", "playlist INTEGER -", "sequel INTEGER -",
                    "playlist.position INTEGER -",
                ])
        #expect(
            try library.lines("SELECT sql FROM sqlite_schema WHERE name = 'Label'")
                == [
                    "CREATE TABLE \"Label\" (objectID INTEGER PRIMARY KEY AUTOINCREMENT, \"word\" TEXT DEFAULT '')"
                ])
        #expect(
            try library.lines(
                "SELECT sql FROM sqlite_schema WHERE name IN ('sc_Tune_number', 'sc_Media_code', 'sc_Media_title') ORDER BY name"
            )
                == [
                    "CREATE UNIQUE INDEX \"sc_Media_code\" ON \"Media\" (\"code\")",
                    "CREATE INDEX \"sc_Media_title\" ON \"Media\" (\"title\", \".entity\")",
                    "CREATE UNIQUE INDEX \"sc_Tune_number\" ON \"Media\" (\"number\") WHERE \".entity\" IN ('Tune')",
                ])
    }
}

/// A class without an entity: its properties belong to the entities of its subclasses.
class Unlisted: ManagedObject {
    @Attribute var a: String = ""
}

final class Loner: Unlisted {
    @Attribute var b: String = ""
}

class Vague: ManagedObject {
    override class var isAbstractEntity: Bool { true }
}

final class Vaguer: Vague {
    @Attribute var a: String = ""
}
