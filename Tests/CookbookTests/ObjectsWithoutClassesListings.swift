import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// The listings of the article “Objects without Classes”.
@Suite struct ObjectsWithoutClassesListings {
    @Test func `objects of described entities are saved, listed and found by name`() throws {
        let directory = try TemporaryDirectory()
        let store = directory.url.appending(path: "books.store")
        let caches = SectionCacheStore(directory: directory.url.appending(path: "caches"))
        let book = EntityDescription(
            name: "Book",
            attributes: [
                AttributeDescription(name: "title", type: .string),
                AttributeDescription(name: "year", type: .integer32, isOptional: true, isIndexed: true),
            ])
        let model = try ManagedObjectModel(entities: [book])
        let container = try PersistentContainer(url: store, model: model)
        let context = container.newContext()

        let object = try context.insert(entityNamed: "Book")
        object["title"] = .text("Emma")
        try object.setValue(.integer(1815), forProperty: "year")
        try context.save()

        let request = FetchRequest<ManagedObject>(
            entityName: "Book",
            predicate: try .init(format: "year > %@", 1800),
            sortDescriptors: [.ascending("year"), .ascending("title")])
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "year", cacheName: "books",
            cacheStore: caches)
        try controller.performFetch()
        let titles = controller.fetchedObjects!.map { $0["title"] }
        #expect(titles == [.text("Emma")] && controller.sections?.map(\.name) == ["1815"])

        let reopened = try PersistentContainer(url: store)
        let names = reopened.model.entities.map(\.name)
        #expect(names == ["Book"])
    }

    @Test func `a program with classes uses the entry of a program without them`() throws {
        let directory = try TemporaryDirectory()
        let store = directory.url.appending(path: "books.store")
        let caches = SectionCacheStore(directory: directory.url.appending(path: "caches"))
        do {
            let container = try PersistentContainer(url: store, model: ManagedObjectModel(types: Book.self))
            let context = container.newContext()
            Book(context: context).title = "Emma"
            try context.save()
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Book>(sortDescriptors: [.ascending(\.title)]),
                context: context, sectionNameKeyPath: "title", cacheName: "books", cacheStore: caches)
            try controller.performFetch()
            #expect(controller.cacheLookup?.isHit == false && caches.waitForWrites(upTo: 60))
        }
        let container = try PersistentContainer(url: store)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(
                entityName: "Book", sortDescriptors: [.ascending("title")]),
            context: container.newContext(), sectionNameKeyPath: "title", cacheName: "books",
            cacheStore: caches)
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == true)
    }

    final class Book: ManagedObject {
        @Attribute var title: String = ""
    }
}
