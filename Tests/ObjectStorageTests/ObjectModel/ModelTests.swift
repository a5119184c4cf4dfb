import Foundation
import ObjectStorage
import Testing

@Suite struct ModelTests {
    private let json = """
        [{"name": "Person",
          "attributes": [
            {"name": "name", "type": "string", "rules": [{"minimum": 2}, {"maximum": 5}, {"pattern": "[A-Z].*"}]},
            {"name": "age", "type": "integer16", "isOptional": true, "rules": [{"minimum": 0}, {"maximum": 150}]},
            {"name": "balance", "type": "decimal", "defaultValue": "0", "rules": [{"minimum": "-10.5"}]}],
          "relationships": [
            {"name": "pets", "destinationEntityName": "Pet", "isToMany": true, "allowedCount": [0, 2], "deleteRule": "noAction"}],
          "uniquenessConstraints": [["name", "age"]], "indexes": [["age", "name"]]},
         {"name": "Pet", "attributes": [{"name": "name", "type": "string", "defaultValue": "Rex"}],
          "relationships": [{"name": "owner", "destinationEntityName": "Person", "inverseName": "pets"}]}]
        """

    private func code(_ body: () throws -> Void) -> ObjectStorageError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ObjectStorageError
        }
    }

    @Test func `a model is equal after a round trip through JSON`() throws {
        let model = try ManagedObjectModel(jsonText: json)
        let again = try ManagedObjectModel(jsonText: model.jsonText())
        #expect(again.versionDigest == model.versionDigest)
        #expect(try again.jsonText() == model.jsonText())
        #expect(model.entity(named: "Person")?.relationship(named: "pets")?.inverseName == "owner")
    }

    @Test
    func `bounds are checked for objects that lose or gain one through its to-one relationship`() throws {
        let model = """
            [{"name": "Team", "relationships": [{"name": "players", "destinationEntityName": "Player", "isToMany": true, "allowedCount": [1, 2]}]},
             {"name": "Player", "relationships": [{"name": "team", "destinationEntityName": "Team", "inverseName": "players"}]}]
            """
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: model))
        let writing = container.newContext()
        let teams = try (0..<2).map { _ in try writing.insert(entityNamed: "Team") }
        for number in 0..<3 {
            try writing.insert(entityNamed: "Player").setRelatedObject(
                teams[number % 2], forRelationship: "team")
        }
        try writing.save()
        let context = container.newContext()
        let players = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Player", sortDescriptors: [.ascending("objectID")]))
        func refusal(_ change: () throws -> Void) throws -> ObjectID? {
            try change()
            defer { context.rollback() }
            return code { try context.save() }?.objectID
        }
        // Players 0 and 2 are in the first team, player 1 alone in the second.
        #expect(try refusal { context.delete(players[1]) } == teams[1].objectID)
        #expect(
            try refusal { try players[1].setRelatedObject(nil, forRelationship: "team") } == teams[1].objectID
        )
        let first = try context.object(with: teams[0].objectID)
        #expect(
            try refusal {
                try context.insert(entityNamed: "Player").setRelatedObject(first, forRelationship: "team")
            } == teams[0].objectID)
        #expect(try refusal { context.delete(players[0]) } == nil)
    }

    @Test func `a model's description lists entities, properties, rules and constraints`() throws {
        #expect(
            try ManagedObjectModel(jsonText: json).description == """
                Person
                  name: string, must be at least 2, must be at most 5, must match “[A-Z].*”
                  age: integer16?, must be at least 0, must be at most 150
                  balance: decimal = “0”, must be at least “-10.5”
                  pets → many Pet.owner, noAction, 0 to 2
                  unique together: name, age
                  indexed together: age, name
                Pet
                  name: string = “Rex”
                  owner → Person.pets?
                """)
    }

    @Test(arguments: [
        ("[", "at the top"), ("{}", "at the top"), ("[{}]", "[0]"),
        (
            "[{\"name\": \"A\", \"attributes\": [{\"name\": \"a\", \"type\": \"text\"}]}]",
            "[0].attributes[0].type"
        ),
        (
            "[{\"name\": \"A\", \"attributes\": [{\"name\": \"a\", \"type\": \"string\", \"rules\": [{\"pattern\": \"[\"}]}]}]",
            "regular expression"
        ),
        (
            "[{\"name\": \"A\", \"attributes\": [{\"name\": \"a\", \"type\": \"span\"}]}]",
            "at [0].attributes[0].type: “span” is no type"
        ),
        (
            "[{\"name\": \"A\", \"indexes\": [[\"nmae\"]], \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}]}]",
            "“name”"
        ),
    ])
    func `an invalid model in JSON is an error that names the location`(
        text: String, location: String
    ) throws {
        let error = code { _ = try ManagedObjectModel(jsonText: text) }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains(location) == true, "\(error?.message ?? "no error")")
    }

    @Test func `a save checks rules, counts and uniqueness, and names the property`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: json))
        let context = container.newContext()
        let person = try context.insert(entityNamed: "Person")
        func problem(_ property: String, _ value: StoredValue, back: StoredValue) throws -> String? {
            person[property] = value
            defer { person[property] = back }
            return code { try context.save() }?.propertyName
        }
        person["name"] = "Ada"
        #expect(try problem("name", "A", back: "Ada") == "name")
        #expect(try problem("name", "Aaaaaa", back: "Ada") == "name")
        #expect(try problem("name", "ada", back: "Ada") == "name")
        #expect(try problem("age", -1, back: .null) == "age")
        #expect(try problem("age", 151, back: .null) == "age")
        #expect(try problem("balance", "-10.50000001", back: "-10.5") == "balance")
        #expect(try problem("balance", "-1000", back: "-10.5") == "balance")
        let pets = try (0..<3).map { _ in try context.insert(entityNamed: "Pet") }
        try person.setRelatedObjects(pets, forRelationship: "pets")
        #expect(code { try context.save() }?.propertyName == "pets")
        try person.setRelatedObjects(Array(pets.dropFirst()), forRelationship: "pets")
        person["age"] = 36
        try context.save()
        let twin = try context.insert(entityNamed: "Person")
        twin["name"] = "Ada"
        twin["age"] = 36
        #expect(code { try context.save() }?.code == .duplicateValue)
        twin["age"] = 37
        try context.save()
    }

    @Test func `batch operations check rules`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: json))
        let context = container.newContext()
        let good: [String: StoredValue] = ["name": "Ada", "age": 36, "balance": "0"]
        let people = FetchRequest<ManagedObject>(entityName: "Person")
        func insert(_ property: String, _ value: StoredValue) -> ObjectStorageError? {
            code {
                try context.batchInsert(
                    ManagedObject.self, entityName: "Person",
                    rows: [good, good.merging([property: value]) { $1 }])
            }
        }
        for (property, value) in [("name", "A"), ("name", "ada"), ("age", -1), ("balance", "-11")]
            as [(String, StoredValue)]
        {
            let error = insert(property, value)
            #expect(error?.code == .invalidValue && error?.propertyName == property)
            #expect(error?.message.contains("Row 2") == true && error?.message.contains("must") == true)
        }
        #expect(try context.count(for: people) == 0)
        try context.batchInsert(ManagedObject.self, entityName: "Person", rows: [good])
        let error = code { try context.batchUpdate(people, set: [.set("age", to: .integer(151))]) }
        #expect(error?.code == .invalidValue && error?.propertyName == "age")
        try context.batchUpdate(people, set: [.set("age", to: .integer(150))])
        #expect(try context.fetch(people).map { $0["age"] } == [150])
    }

    @Test(arguments: [
        ("integer16", #"{"pattern": "x"}"#), ("string", #"{"minimum": "a"}"#),
        ("date", #"{"maximum": "2001-01-01"}"#),
        ("decimal", #"{"minimum": "ten"}"#), ("boolean", #"{"maximum": 0.5}"#),
        ("uuid", #"{"pattern": "x"}"#),
    ])
    func `a rule that does not apply to the attribute's type is an error`(type: String, rule: String) throws {
        let error = code {
            _ = try ManagedObjectModel(
                jsonText: """
                    [{"name": "A", "attributes": [{"name": "b", "type": "\(type)", "isOptional": true, "rules": [\(rule)]}]}]
                    """)
        }
        #expect(error?.code == .invalidModel && error?.propertyName == "b")
        #expect(error?.message.contains("does not apply to type \(type)") == true)
    }

    @Test func `a deletion with the rule noAction leaves related objects unchanged`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: json))
        let context = container.newContext()
        let person = try context.insert(entityNamed: "Person")
        person["name"] = "Ada"
        let pet = try context.insert(entityNamed: "Pet")
        try pet.setRelatedObject(person, forRelationship: "owner")
        try context.save()
        let key = try pet.value(forProperty: "owner")
        context.delete(person)
        try context.save()
        let other = container.newContext()
        let read = try other.existingObject(with: pet.objectID)
        #expect(read["owner"] == key)
        let gone = try #require(try read.relatedObject("owner"))
        #expect(code { try gone.load() }?.code == .objectMissing)
    }
}
