import Foundation
import SectionedFetch
import Testing

/// The reason of a miss after a change of the model or of the store's schema, in which no row changed.
@Suite struct SchemaReasonTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore(Self.model()) }

    /// Returns a model with an entity and another one that the request reads only through a relationship.
    private static func model(_ attribute: String = "", ofOther other: String = "") throws
        -> ManagedObjectModel
    {
        try ManagedObjectModel(
            jsonText: """
                [{"name": "Wine", "attributes": [{"name": "name", "type": "string"}\(attribute)],
                  "relationships": [{"name": "maker", "destinationEntityName": "Maker"}]},
                 {"name": "Maker", "attributes": [{"name": "name", "type": "string", "isOptional": true}\(other)]}]
                """)
    }

    private static let added = #", {"name": "year", "type": "integer32", "isOptional": true}"#

    /// Fetches in a new container, and returns the reason of the miss.
    private func reason(_ model: ManagedObjectModel? = nil, by key: SectionKey = "name") throws -> MissReason?
    {
        let container = try PersistentContainer(
            url: store.url.appending(path: "store.sqlite"), model: model ?? store.container.model)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(
                entityName: "Wine", sortDescriptors: [.ascending(key.expression), .ascending("name")]),
            context: container.newContext(), sectionNameKeyPath: key, cacheName: "wines",
            cacheStore: store.caches)
        try controller.performFetch()
        store.caches.waitForWrites()
        return controller.missReason
    }

    @Test func `another version of the entity is named as a change of the model`() throws {
        #expect(try reason() == .absent)
        #expect(try reason() == nil)
        let reason = try reason(Self.model(Self.added))
        #expect(reason == .requestChanged(parts: [.model]))
        #expect("\(try #require(reason))".hasPrefix("the model has another version"))
    }

    @Test func `another version of an entity that is read through a relationship is named as well`() throws {
        #expect(try reason(by: "maker.name") == .absent)
        #expect(
            try reason(Self.model(ofOther: Self.added), by: "maker.name") == .requestChanged(parts: [.model]))
    }

    @Test(arguments: ["VACUUM", "ANALYZE", "CREATE TABLE another (a)", "CREATE INDEX i ON Wine(name)"])
    func `a start after a change of the schema does not claim that data changed`(sql: String) throws {
        try store.runElsewhere("INSERT INTO Wine (name) VALUES ('Riesling')")
        _ = try reason()
        #expect(try reason() == nil)
        try store.runElsewhere(sql)
        let found = try reason()
        #expect(found == nil || found == .schemaChanged)
        #expect(sql != "VACUUM" || found == .schemaChanged)
        try store.runElsewhere("VACUUM; UPDATE Wine SET name = 'Silvaner'")
        #expect(try reason() == .dataChanged(dependencies: ["Wine"]))
    }

    @Test func `after a change of the schema, only tables with changed rows are named`() throws {
        try store.runElsewhere("INSERT INTO Wine (name) VALUES ('Riesling')")
        _ = try reason(by: "maker.name")
        #expect(try reason(by: "maker.name") == nil)
        for table in ["Wine", "Maker"] {
            try store.runElsewhere("VACUUM; INSERT INTO \(table) (name) VALUES ('Silvaner')")
            #expect(try reason(by: "maker.name") == .dataChanged(dependencies: [table]))
        }
        try store.runElsewhere("VACUUM")
        #expect(try reason(by: "maker.name") == .schemaChanged)
    }

    @Test func `a fetch in the background, and one of a context that is pinned, name the schema`()
        async throws
    {
        func controller(isPinned: Bool) throws -> FetchedResultsController<ManagedObject> {
            let container = try PersistentContainer(
                url: store.url.appending(path: "store.sqlite"), model: store.container.model)
            let context = container.newContext()
            if isPinned { try context.setQueryGeneration(from: .current) }
            return try FetchedResultsController(
                fetchRequest: FetchRequest<ManagedObject>(
                    entityName: "Wine", sortDescriptors: [.ascending("name")]),
                context: context, sectionNameKeyPath: "name", cacheName: "wines", cacheStore: store.caches)
        }
        try store.runElsewhere("INSERT INTO Wine (name) VALUES ('Riesling')")
        try controller(isPinned: false).performAndSettle()
        try store.runElsewhere("VACUUM")
        let pinned = try controller(isPinned: true)
        try pinned.performAndSettle()
        #expect(pinned.missReason == .schemaChanged)
        try store.runElsewhere("VACUUM")
        let background = try controller(isPinned: false)
        try await background.performFetchInBackground()
        #expect(background.missReason == .schemaChanged)
        background.settle()
        try store.runElsewhere("VACUUM; UPDATE Wine SET name = 'Silvaner'")
        let changed = try controller(isPinned: false)
        try await changed.performFetchInBackground()
        #expect(changed.missReason == .dataChanged(dependencies: ["Wine"]) || changed.missReason == nil)
    }
}
