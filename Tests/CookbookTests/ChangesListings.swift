import SectionedFetch
import Testing

/// The listing of the article “Changes”.
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
}
