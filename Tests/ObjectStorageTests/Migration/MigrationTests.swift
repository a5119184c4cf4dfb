import CheckSupport
import Foundation
import ObjectStorage
import Testing

@Suite final class MigrationTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private var contexts: [ManagedObjectContext] = []

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("library.sqlite")
        let context = try open(first)
        let ada = try context.insert(entityNamed: "Person")
        ada["name"] = "Ada Lovelace"
        ada["age"] = 36
        let nameless = try context.insert(entityNamed: "Person")
        nameless["name"] = "Bob"
        let gone = try context.insert(entityNamed: "Person")
        gone["name"] = "gone"
        for title in ["Notes", "Letters"] {
            let book = try context.insert(entityNamed: "Book")
            book["title"] = .text(title)
            try book.setRelatedObject(ada, forRelationship: "author")
            try book.setRelatedObjects([ada, nameless], forRelationship: "readers")
        }
        try context.save()
        context.delete(gone)
        try context.save()
    }

    private let first = """
        [{"name": "Person",
          "attributes": [{"name": "name", "type": "string"}, {"name": "age", "type": "integer16", "isOptional": true}],
          "relationships": [
            {"name": "books", "destinationEntityName": "Book", "isToMany": true},
            {"name": "read", "destinationEntityName": "Book", "isToMany": true}]},
         {"name": "Book", "attributes": [{"name": "title", "type": "string"}],
          "relationships": [
            {"name": "author", "destinationEntityName": "Person", "inverseName": "books"},
            {"name": "readers", "destinationEntityName": "Person", "isToMany": true, "isOrdered": true, "inverseName": "read"}]}]
        """

    /// Opens the store with a model and returns a context that lives as long as the test.
    @discardableResult
    private func open(_ json: String, _ options: StoreOptions = StoreOptions()) throws -> ManagedObjectContext
    {
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(jsonText: json), options: options)
        contexts.append(container.newContext())
        return contexts[contexts.count - 1]
    }

    private func all(_ entity: String, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(
            FetchRequest<ManagedObject>(entityName: entity, sortDescriptors: [.ascending("objectID")]))
    }

    private func error(_ body: () throws -> Void) -> ObjectStorageError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ObjectStorageError
        }
    }

    private func dump() throws -> String { try Library.output(of: ".dump", path: url.path) }

    @Test func `opening creates a newly declared index, and a migration removes an undeclared one`() throws {
        func indexes() throws -> String {
            try Library.output(
                of:
                    "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = 'Person' ORDER BY name",
                path: url.path)
        }
        let before = try indexes()
        let indexed = first.replacing(
            "{\"name\": \"name\", \"type\": \"string\"}",
            with: "{\"name\": \"name\", \"type\": \"string\", \"isIndexed\": true}", maxReplacements: 1)
        try open(indexed)
        #expect(try indexes() == before + "sc_Person_name\n")
        let schema = try Library.output(of: "PRAGMA schema_version", path: url.path)
        try open(indexed)
        // A program that does not declare the index keeps it.
        try open(first)
        try open(indexed)
        #expect(try Library.output(of: "PRAGMA schema_version", path: url.path) == schema)
        try open(
            first.replacing(
                "\"age\", \"type\": \"integer16\"",
                with: "\"age\", \"type\": \"integer16\", \"defaultValue\": 7", maxReplacements: 1))
        #expect(try indexes() == before)
    }

    @Test func `attributes and relationships are added, removed and renamed, and the rest is kept`() throws {
        let context = try open(
            first.replacing(
                "\"age\", \"type\": \"integer16\", \"isOptional\": true",
                with: """
                    "years", "type": "integer16", "defaultValue": -1, "renamingIdentifier": "age"}, {"name": "note", "type": "string", "defaultValue": "-"
                    """
            ).replacing("\"isUnique\"", with: "\"isUnique\"")
                .replacing(
                    "{\"name\": \"author\"",
                    with:
                        "{\"name\": \"editor\", \"destinationEntityName\": \"Person\"}, {\"name\": \"writer\", \"renamingIdentifier\": \"author\""
                )
        )
        let people = try all("Person", in: context)
        #expect(people.map { $0["name"] } == ["Ada Lovelace", "Bob"])
        #expect(people.map { $0["years"] } == [36, -1])
        #expect(people.map { $0["note"] } == ["-", "-"])
        let books = try all("Book", in: context)
        #expect(try books.map { try $0.relatedObject("writer") } == [people[0], people[0]])
        #expect(try books.map { try $0.relatedObject("editor") } == [nil, nil])
        #expect(try books[0].relatedObjects("readers") == people)
        #expect(try people[0].relatedObjects("books") == books)
        // Keys are not reused.
        let new = try context.insert(entityNamed: "Person")
        new["name"] = "new"
        try context.save()
        #expect(new.objectID.primaryKey == 4)
    }

    @Test func `entities and link tables are renamed`() throws {
        let json = first.replacing("\"Person\"", with: "\"Reader\"").replacing(
            "[{\"name\": \"Reader\"", with: "[{\"name\": \"Reader\", \"renamingIdentifier\": \"Person\""
        ).replacing("\"name\": \"read\"", with: "\"name\": \"aRead\", \"renamingIdentifier\": \"read\"")
            .replacing(
                "\"inverseName\": \"read\"", with: "\"inverseName\": \"aRead\"")
        let context = try open(json)
        let people = try all("Reader", in: context)
        #expect(people.map { $0["name"] } == ["Ada Lovelace", "Bob"])
        let books = try all("Book", in: context)
        #expect(try people[1].relatedObjects("aRead") == books)
        #expect(try books[1].relatedObjects("readers") == people)
        #expect(try books[0].relatedObject("author") == people[0])
        #expect(try !Library.output(of: ".schema", path: url.path).contains("Person"))
    }

    @Test func `a link table is kept when the other relationship determines its name`() throws {
        let context = try open(
            first.replacing("\"name\": \"readers\"", with: "\"name\": \"readers\"").replacing(
                "\"Book\"", with: "\"Work\""
            ).replacing(
                "{\"name\": \"Work\",", with: "{\"name\": \"Work\", \"renamingIdentifier\": \"Book\","))
        let people = try all("Person", in: context)
        let works = try all("Work", in: context)
        #expect(try works[0].relatedObjects("readers") == people)
        #expect(try people[0].relatedObjects("read") == works)
    }

    @Test func `an entity that the model no longer has stays in the store`() throws {
        let book = """
            [{"name": "Book", "attributes": [{"name": "title", "type": "string"}]}]
            """
        let context = try open(book)
        #expect(try all("Book", in: context).map { $0["title"] } == ["Notes", "Letters"])
        let untyped = try PersistentContainer(url: url)
        let people = try untyped.newContext().count(for: FetchRequest<ManagedObject>(entityName: "Person"))
        #expect(people == 2)
        #expect(untyped.model.entity(named: "Person")?.relationships == [])
    }

    @Test func `a change that needs a step is refused, and the step makes it`() throws {
        let json = first.replacing(
            "\"attributes\": [{\"name\": \"name\", \"type\": \"string\"}",
            with:
                "\"attributes\": [{\"name\": \"first\", \"type\": \"string\"}, {\"name\": \"last\", \"type\": \"string\", \"isOptional\": true}"
        ).replacing("\"type\": \"integer16\"", with: "\"type\": \"string\"")
        let before = try dump()
        let refused = error { try open(json) }
        #expect(
            refused?.code == .modelMismatch && refused?.entityName == "Person"
                && refused?.propertyName == "age")
        #expect(refused?.message.contains("MigrationStep") == true)
        #expect(try dump() == before)
        let step = MigrationStep(of: "Person") { old in
            let names = (old["name"].text ?? "").split(separator: " ").map { StoredValue.text(String($0)) }
            return [
                "first": names.first ?? "", "last": names.count > 1 ? names[1] : .null,
                "age": old["age"].integer.map { .text("\($0)") } ?? .null,
            ]
        }
        let people = try all("Person", in: open(json, StoreOptions(migrationSteps: [step])))
        #expect(people.map { $0["first"] } == ["Ada", "Bob"])
        #expect(people.map { $0["last"] } == ["Lovelace", .null])
        #expect(people.map { $0["age"] } == ["36", .null])
        #expect(try people[0].relatedObjects("books").count == 2)
    }

    @Test
    func `a step must set every value of another type, and a wider integer type needs no step`() throws {
        let wider = first.replacing("\"integer16\"", with: "\"integer64\"")
        #expect(try all("Person", in: open(wider)).map { $0["age"] } == [36, .null])
        let texts = wider.replacing("\"integer64\"", with: "\"string\"")
        let before = try dump()
        let silent = MigrationStep(of: "Person") { ["name": $0["name"]] }
        let refused = error { try open(texts, StoreOptions(migrationSteps: [silent])) }
        #expect(refused?.code == .modelMismatch && refused?.propertyName == "age")
        #expect(try dump() == before)
        let clearing = MigrationStep(of: "Person") { _ in ["age": .null] }
        let people = try all("Person", in: open(texts, StoreOptions(migrationSteps: [clearing])))
        #expect(people.map { $0["age"] } == [.null, .null])
        #expect(people.map { $0["name"] } == ["Ada Lovelace", "Bob"])
    }

    @Test func `a failed migration leaves the store unchanged`() throws {
        let before = try dump()
        let required = first.replacing(
            "\"integer16\", \"isOptional\": true", with: "\"integer16\"")
        let missing = error { try open(required) }
        #expect(
            missing?.code == .modelMismatch && missing?.objectID?.primaryKey == 2
                && missing?.propertyName == "age")
        let step = MigrationStep(of: "Person") { _ in ["age": 40_000] }
        #expect(error { try open(required, StoreOptions(migrationSteps: [step])) }?.code == .invalidValue)
        let foreign = MigrationStep(of: "Book") { _ in throw CancellationError() }
        let renamed = first.replacing(
            "\"title\", \"type\"", with: "\"heading\", \"renamingIdentifier\": \"title\", \"type\"")
        #expect(error { try open(renamed, StoreOptions(migrationSteps: [foreign])) } != nil)
        #expect(error { try open(renamed, StoreOptions(isReadOnly: true)) }?.code == .storeReadOnly)
        #expect(
            error { try open(renamed, StoreOptions(migratesAutomatically: false)) }?.code == .modelMismatch)
        let unique = first.replacing(
            "\"name\": \"title\", \"type\"", with: "\"name\": \"title\", \"isUnique\": true, \"type\"")
        try Library.runElsewhere("UPDATE Book SET title = 'same'", path: url.path)
        #expect(error { try open(unique) }?.code == .duplicateValue)
        try Library.runElsewhere(
            "UPDATE Book SET title = iif(objectID = 1, 'Notes', 'Letters')", path: url.path)
        #expect(try withoutControlTables(dump()) == withoutControlTables(before))
    }

    private func withoutControlTables(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { line in
            !["sc_gen", "sc_log", "sc_epoch"].contains { line.hasPrefix("INSERT INTO \($0)") }
        }
    }

    @Test(arguments: [1, 500, 2_000])
    func `a program killed during a migration leaves the old store, and the next one migrates it`(
        row: Int64
    ) throws {
        try Library.runElsewhere(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO Person (name, age) SELECT 'person ' || i || hex(randomblob(2000)), i FROM n",
            path: url.path)
        let json = first.replacing("\"type\": \"integer16\"", with: "\"type\": \"integer64\"")
        // The files on disk when the step reaches a row are those that a killed program leaves.
        let (store, copy) = (url, directory.file("killed.sqlite"))
        let step = MigrationStep(of: "Person") { old in
            if old["age"].integer == row {
                for end in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + end) {
                    try FileManager.default.copyItem(atPath: store.path + end, toPath: copy.path + end)
                }
            }
            return ["age": old["age"]]
        }
        try open(json, StoreOptions(migrationSteps: [step]))
        let digest = "SELECT count(*), sum(age), total(length(name)) FROM Person"
        let expected = try Library.output(of: digest, path: url.path)
        let old = try PersistentContainer(url: copy, model: ManagedObjectModel(jsonText: first))
        #expect(old.model.entity(named: "Person")?.attribute(named: "age")?.type == .integer16)
        #expect(try Library.output(of: digest, path: copy.path) == expected)
        let plain = MigrationStep(of: "Person") { ["age": $0["age"]] }
        let new = try PersistentContainer(
            url: copy, model: ManagedObjectModel(jsonText: json),
            options: StoreOptions(migrationSteps: [plain]))
        #expect(new.model.entity(named: "Person")?.attribute(named: "age")?.type == .integer64)
        #expect(try Library.output(of: digest, path: copy.path) == expected)
        #expect(
            try Library.output(of: "PRAGMA integrity_check; PRAGMA foreign_key_check", path: copy.path)
                == "ok\n")
    }

    @Test func `a store of a newer model is refused, and the error names the entity`() throws {
        let second = first.replacing(
            "\"age\", \"type\"", with: "\"years\", \"renamingIdentifier\": \"age\", \"type\"")
        try open(second)
        let before = try dump()
        let refused = error { try open(first) }
        #expect(refused?.code == .newerModel && refused?.entityName == "Person")
        #expect(try dump() == before)
        let context = try open(second)
        #expect(try all("Person", in: context).map { $0["years"] } == [36, .null])
    }

    @Test
    func `a migration stamps the tables that it changes, and foreign writes are still detected`() throws {
        let context = try open(
            first.replacing("\"age\", \"type\"", with: "\"years\", \"renamingIdentifier\": \"age\", \"type\"")
        )
        func nonces() throws -> String {
            try Library.output(
                of: "SELECT tbl, iif(nonce IS NULL, 'dirty', hex(nonce)) FROM sc_gen ORDER BY tbl",
                path: url.path)
        }
        let stamped = try nonces()
        #expect(!stamped.contains("dirty"))
        try Library.runElsewhere("UPDATE Person SET name = name || '!'", path: url.path)
        #expect(try nonces().contains("Person|dirty"))
        #expect(try all("Person", in: context).first?["name"] == "Ada Lovelace!")
    }
}
