import Foundation
import SectionedFetch
import Testing

/// The listings of the article “Changes”.
@Suite struct ChangesListings {
    private final class List: FetchedResultsControllerDelegate {
        private(set) var changes: [ResultsChange] = []

        func controller(
            _ controller: FetchedResultsController<Person>, didChangeContentWith change: ResultsChange
        ) { changes.append(change) }
    }

    @Test func `a controller with a delegate follows its context`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]),
            context: context)
        let list = List()
        controller.delegate = list
        try controller.performFetch()
        Person(context: context).firstName = "Ada"
        try context.save()
        #expect(list.changes.count == 1)
        #expect(controller.fetchedObjects?.map(\.firstName) == ["Ada"])
    }

    @Test @MainActor func `a search computes on another thread`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let container = try PersistentContainer(
            url: directory.appending(path: "people.store"), model: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        for name in ["Ada", "Grace", "Adam"] { Person(context: context).firstName = name }
        try context.save()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]),
            context: context)
        var search: Task<Void, any Error>?
        let request = FetchRequest<Person>(
            predicate: .contains(\.firstName, "ada", ignoringCase: true),
            sortDescriptors: [.ascending(\.firstName)])

        try await controller.performFetchInBackground(firstScreen: 50)

        #expect(controller.fetchedObjects?.count == 3)
        search?.cancel()
        search = Task {
            try await controller.replaceRequestInBackground(with: request, sectionNameKeyPath: "firstName")
        }
        try await search?.value
        #expect(controller.sections?.map(\.name) == ["Ada", "Adam"])
    }
}
