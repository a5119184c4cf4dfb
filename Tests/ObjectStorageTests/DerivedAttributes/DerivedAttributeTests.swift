import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

@Suite struct DerivedAttributeTests {
    @Test func `the time of the last save changes only with the object itself`() throws {
        let concert = try Concert()
        let context = concert.container.newContext()
        let composer = Composer(context: context)
        let before = Date()
        try context.save()
        let first = try #require(composer.changed)
        #expect(first >= before.addingTimeInterval(-1) && first <= Date().addingTimeInterval(1))
        // An object that leads to it changes its derived values, and not the object itself.
        let opus = Opus(context: context)
        opus.composer = composer
        try context.save()
        #expect(composer.operaCount == 1 && composer.changed == first)
        composer.name = "Clara"
        try context.save()
        #expect(try #require(composer.changed) > first)
        #expect(opus.composerName == "Clara")
    }

    @Test func `another program writes the store without the functions, and the next save computes its row`()
        throws
    {
        let concert = try Concert()
        let context = concert.container.newContext()
        let opus = Opus(context: context)
        opus.title = "Ode"
        try context.save()
        try Library.runElsewhere(
            "UPDATE Opus SET title = 'ÉTÉ'; INSERT INTO Opus (title) VALUES ('Mer')", path: concert.path)
        try context.mergeChangesFromStore()
        #expect(opus.title == "ÉTÉ" && opus.searchTitle == "ode")
        opus.length = 3
        opus.title = "Été"
        try context.save()
        #expect(opus.searchTitle == "ete")
        #expect(
            try Library.output(
                of: "SELECT name FROM sqlite_schema WHERE name LIKE 'sd_%'", path: concert.path) == "")
    }

    @Test func `a value that the type cannot hold makes the save fail, and nothing is saved`() throws {
        let model = try ManagedObjectModel(
            jsonText: """
                [{"name": "Box", "attributes": [{"name": "total", "type": "integer16", "derivation": "items.@sum.count"}],
                  "relationships": [{"name": "items", "destinationEntityName": "Thing", "isToMany": true, "inverseName": "box"}]},
                 {"name": "Thing", "attributes": [{"name": "count", "type": "integer32"}],
                  "relationships": [{"name": "box", "destinationEntityName": "Box"}]}]
                """)
        let container = try PersistentContainer(inMemoryWith: model)
        let context = container.newContext()
        let box = try context.insert(entityNamed: "Box")
        for count in [32_000, 767] {
            let item = try context.insert(entityNamed: "Thing")
            item["count"] = .integer(Int64(count))
            try item.setRelatedObject(box, forRelationship: "box")
        }
        try context.save()
        #expect(box["total"] == 32_767)
        let last = try context.insert(entityNamed: "Thing")
        last["count"] = 1
        try last.setRelatedObject(box, forRelationship: "box")
        do {
            try context.save()
            Issue.record("The total was saved.")
        } catch {
            #expect(error.code == .invalidValue && error.propertyName == "total" && error.entityName == "Box")
            #expect(error.message.contains("32768") && error.objectID == box.objectID)
        }
        #expect(last.isInserted)
        #expect(try container.newContext().count(for: FetchRequest<ManagedObject>(entityName: "Thing")) == 2)
    }

    @Test func `a sum beyond 64 bits makes the save fail with a remedy, or is rounded in a double`() throws {
        func container(_ type: String) throws -> PersistentContainer {
            let model = try ManagedObjectModel(
                jsonText: """
                    [{"name": "Box", "attributes": [{"name": "total", "type": "\(type)", "isOptional": true, "derivation": "items.@sum.count"}],
                      "relationships": [{"name": "items", "destinationEntityName": "Thing", "isToMany": true, "inverseName": "box"}]},
                     {"name": "Thing", "attributes": [{"name": "count", "type": "integer64"}],
                      "relationships": [{"name": "box", "destinationEntityName": "Box"}]}]
                    """)
            return try PersistentContainer(inMemoryWith: model)
        }
        func box(in context: ManagedObjectContext, counts: [Int64]) throws -> ManagedObject {
            let box = try context.insert(entityNamed: "Box")
            for count in counts {
                let item = try context.insert(entityNamed: "Thing")
                item["count"] = .integer(count)
                try item.setRelatedObject(box, forRelationship: "box")
            }
            return box
        }
        for sign: Int64 in [1, -1] {
            let context = try container("integer64").newContext()
            _ = try box(in: context, counts: [sign * .max, sign * 5])
            do {
                try context.save()
                Issue.record("The total was saved.")
            } catch {
                #expect(error.code == .invalidValue && error.propertyName == "total")
                #expect(error.entityName == "Box" && error.message.contains("Use double"))
            }
            // The total may be within the bounds even if a partial sum, in the order of the rows, is not.
            let other = try container("integer64").newContext()
            let whole = try box(in: other, counts: [sign * .max, sign * 5, -sign * 7])
            try other.save()
            #expect(whole["total"] == .integer(sign * (.max - 2)))
            let third = try container("double").newContext()
            let rounded = try box(in: third, counts: [sign * .max, sign * .max])
            try third.save()
            #expect(rounded["total"] == .real(Double(sign) * 0x1p64))
        }
    }

    private static func model(_ attributes: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            jsonText: """
                [{"name": "Page", "attributes": [{"name": "title", "type": "string", "isOptional": true}\(attributes)],
                  "relationships": [{"name": "book", "destinationEntityName": "Tome"}]},
                 {"name": "Tome", "attributes": [{"name": "name", "type": "string"}],
                  "relationships": [{"name": "pages", "destinationEntityName": "Page", "isToMany": true, "inverseName": "book"}]}]
                """)
    }

    @Test func `a new or changed derivation is computed for all rows when the store is opened`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("pages.sqlite")
        let plain = try PersistentContainer(url: url, model: Self.model("")).newContext()
        let book = try plain.insert(entityNamed: "Tome")
        book["name"] = "Emma"
        for title in ["Été", "Mer"] {
            let page = try plain.insert(entityNamed: "Page")
            page["title"] = .text(title)
            try page.setRelatedObject(book, forRelationship: "book")
        }
        try plain.save()
        let read = { (model: ManagedObjectModel?, name: String) -> [StoredValue] in
            let context = try PersistentContainer(url: url, model: model).newContext()
            let request = FetchRequest<ManagedObject>(entityName: "Page")
            return try context.fetch(request).map { $0[name] }.sorted { "\($0)" < "\($1)" }
        }
        let added = #", {"name": "key", "type": "string", "derivation": "canonical:(title)"}"#
        #expect(try read(Self.model(added), "key") == ["ete", "mer"])
        let changed = #", {"name": "key", "type": "string", "derivation": "book.name"}"#
        #expect(try read(Self.model(changed), "key") == ["Emma", "Emma"])
        // Without a model, the store's own is used, with its derivations.
        #expect(try read(nil, "key") == ["Emma", "Emma"])
        let context = try PersistentContainer(url: url).newContext()
        let page = try context.insert(entityNamed: "Page")
        let tomes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tome"))
        try page.setRelatedObject(tomes.first, forRelationship: "book")
        try context.save()
        #expect(page["key"] == "Emma")
    }

    @Test func `two containers with different models compute on one connection of the application`() throws {
        let queue = try DatabaseQueue()
        let first = try PersistentContainer(
            writer: queue,
            model: Self.model(#", {"name": "key", "type": "string", "derivation": "canonical:(title)"}"#))
        let context = first.newContext()
        let page = try context.insert(entityNamed: "Page")
        page["title"] = "ODE"
        try context.save()
        #expect(page["key"] == "ode")
        let second = try PersistentContainer(
            writer: queue,
            model: Self.model(#", {"name": "key", "type": "string", "derivation": "uppercase:(title)"}"#))
        let other = second.newContext()
        let pages = try other.fetch(FetchRequest<ManagedObject>(entityName: "Page"))
        let again = try #require(pages.first)
        #expect(again["key"] == "ODE")
        again["title"] = "Mer"
        try other.save()
        #expect(again["key"] == "MER")
        // The application's own statements are computed with the next save.
        try queue.write { try $0.execute(sql: "UPDATE Page SET title = 'été'") }
        try other.mergeChangesFromStore()
        #expect(again["title"] == "été")
        _ = try other.insert(entityNamed: "Page")
        try other.save()
        #expect(again["key"] == "ÉTÉ")
    }

    @Test func `a derived value that another context changed is not a conflict`() throws {
        let concert = try Concert()
        let context = concert.container.newContext()
        let composers = (0..<2).map { _ in Composer(context: context) }
        try context.save()
        let other = concert.container.newContext()
        for composer in try other.fetch(FetchRequest<Composer>()) {
            let opus = Opus(context: other)
            opus.composer = composer
        }
        try other.save()
        // This context has merged nothing.
        #expect(composers.map(\.operaCount) == [0, 0])
        composers[0].operaCount = 7
        composers[0].name = "Clara"
        context.delete(composers[1])
        try context.save()
        #expect(composers[0].operaCount == 1)
        #expect(try concert.differences().isEmpty)
    }

    @Test func `a child context's changes are computed when its parent saves`() throws {
        let concert = try Concert()
        let context = concert.container.newContext()
        let child = context.newChildContext()
        let composer = Composer(context: child)
        composer.name = "Nadia"
        let opus = Opus(context: child)
        opus.composer = composer
        try child.save()
        let parents = try context.fetch(FetchRequest<Composer>())
        #expect(parents.map(\.operaCount) == [0])
        try context.save()
        #expect(parents.map(\.operaCount) == [1])
        child.refreshAllObjects()
        #expect(composer.operaCount == 1 && opus.composerName == "Nadia")
        #expect(try Concert.differences(in: child).isEmpty)
    }

    /// Writes composers with 0 to 19 works each, by name and title.
    private static func write(_ writer: BatchWriter, title: String) throws {
        let composers = try writer.table("Composer")
        let opera = try writer.table("Opus")
        func row(_ table: BatchTable, _ values: [String: StoredValue]) -> [StoredValue] {
            table.columns.map { values[$0] ?? table.entity.attribute(named: $0)?.defaultValue ?? .null }
        }
        for number in 0..<20 {
            let key = try composers.upsert(
                row(composers, ["name": .text("Name \(number)")]),
                keyColumn: try #require(composers.columns.firstIndex(of: "name"))
            ).primaryKey
            for length in 0..<number {
                _ = try opera.upsert(
                    row(
                        opera,
                        [
                            "length": .integer(Int64(length)), "composer": .integer(key),
                            "title": .text("\(title) \(number) \(length)"),
                        ]), keyColumn: try #require(opera.columns.firstIndex(of: "title")))
            }
        }
    }

    @Test(arguments: [StoreOptions.Connections.single, .pool])
    func `rows that an import writes have their derived values`(connections: StoreOptions.Connections) throws
    {
        let directory = try TemporaryDirectory()
        let url = directory.file("concert.sqlite")
        let options = StoreOptions(connections: connections)
        // With the first rows of a new store, with the same rows again, and with more rows.
        let (container, _) = try PersistentContainer.open(url, model: Concert.model(), options: options) {
            try Self.write($0, title: "Été")
        }
        let context = container.newContext()
        #expect(try Concert.differences(in: context).isEmpty)
        #expect(try context.count(for: FetchRequest<Opus>()) == 190)
        try container.write { try Self.write($0, title: "Été") }
        #expect(try context.count(for: FetchRequest<Opus>()) == 190)
        try container.write { try Self.write($0, title: "Mer") }
        try context.mergePendingChanges()
        #expect(try Concert.differences(in: context).isEmpty)
        #expect(try Concert.differences(in: container.newContext()).isEmpty)
        #expect(try context.count(for: FetchRequest<Opus>()) == 380)
    }

    @Test func `derivations are part of the model's JSON and of its description`() throws {
        let model = try Concert.model()
        let again = try ManagedObjectModel(jsonText: model.jsonText())
        #expect(
            again.entity(named: "Opus")?.attribute(named: "nationName")?.derivation
                == "lowercase:(composer.nation.name)")
        #expect(again.description == model.description)
        #expect(
            model.entity(named: "Symphony")?.attribute(named: "movementCount")?.description
                == "movementCount: integer64? = 0, derived from movements.@count")
    }

    @Test(arguments: [
        ("nonsense(", "is not a derivation"), ("a + b", "is not a derivation"),
        ("missing", "no stored attribute “missing”"), ("book.missing", "no stored attribute “missing”"),
        ("title.@count", "no to-many relationship “title”"), ("pages.name", "no to-one relationship “pages”"),
        ("uppercase:(book.name.x)", "no to-one relationship “name”"), ("now()", "now() is a date"),
        ("key", "that is not derived itself"),
    ])
    func `an expression that the store cannot compute is refused with the reason`(
        expression: String, words: String
    ) throws {
        let attribute = #", {"name": "key", "type": "string", "derivation": "\#(expression)"}"#
        do {
            _ = try Self.model(attribute)
            Issue.record("\(expression) was accepted.")
        } catch let error as ObjectStorageError {
            #expect(error.code == .invalidModel && error.message.contains(words), "\(error.message)")
        }
    }
}
