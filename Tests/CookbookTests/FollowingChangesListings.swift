import CheckSupport
import Foundation
import Observation
import SectionedFetch
import Testing

/// The listings of the article “Following Changes”.
@Suite struct FollowingChangesListings {
    private final class List<Object: ManagedObject>: FetchedResultsControllerDelegate {
        private(set) var changes: [ResultsChange] = []

        func controller(
            _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
        ) { changes.append(change) }
    }

    @Test func `a controller with a delegate follows its context`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]),
            context: context)
        let list = List<Person>()
        controller.delegate = list
        try controller.performFetch()
        Person(context: context).firstName = "Ada"
        try context.save()
        #expect(list.changes.count == 1)
        #expect(controller.fetchedObjects?.map(\.firstName) == ["Ada"])
    }

    /// Records the calls of each report.
    private final class GoodsList: FetchedResultsControllerDelegate {
        private(set) var calls: [String] = []

        func controllerWillChangeContent(_ controller: FetchedResultsController<Goods>) {
            calls.append("will change")
        }

        func controller(
            _ controller: FetchedResultsController<Goods>, didChangeSection event: ResultsChange.SectionEvent
        ) {
            calls.append("\(event.kind) of section \(event.name)")
        }

        func controller(
            _ controller: FetchedResultsController<Goods>, didChangeObject event: ResultsChange.RowEvent
        ) {
            let places = (event.indexPath.map(Array.init), event.newIndexPath.map(Array.init))
            switch places {
            case (let old?, let new?): calls.append("\(event.kind) from \(old) to \(new)")
            case (let old?, nil): calls.append("\(event.kind) at \(old)")
            case (nil, let new): calls.append("\(event.kind) at \(new ?? [])")
            }
        }

        func controllerDidChangeContent(_ controller: FetchedResultsController<Goods>) {
            calls.append("did change")
        }

        func controller(
            _ controller: FetchedResultsController<Goods>, didFailToFollowChanges error: ObjectStorageError
        ) {
            calls.append("failed: \(error)")
        }
    }

    @Test func `a delegate receives the calls of a report in order`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Goods.self, Warehouse.self))
        let context = container.newContext()
        let goods = ["Apple", "Pear"].map { name in
            let goods = Goods(context: context)
            goods.name = name
            return goods
        }
        let pear = goods[1]
        try context.save()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)]),
            context: context, sectionNameKeyPath: \.category)

        let list = GoodsList()
        controller.delegate = list
        try controller.performFetch()

        let leek = Goods(context: context)
        leek.name = "Leek"
        leek.category = .vegetable
        pear.name = "Abate"
        try context.save()
        #expect(
            list.calls == [
                "will change",
                "insertion of section vegetable",
                "insertion at [1, 0]",
                "move from [0, 1] to [0, 0]",
                "did change",
            ])
    }

    @MainActor private final class PeopleView: @MainActor FetchedResultsControllerDelegate {
        private(set) var names: [String] = []

        func controller(
            _ controller: FetchedResultsController<Person>,
            didChangeContentWith snapshot: ResultsSnapshot<Person>
        ) {
            names = controller.fetchedObjects?.map(\.firstName) ?? []
        }
    }

    @Test @MainActor func `a class of the main actor is a delegate`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]),
            context: context)
        let view = PeopleView()
        controller.delegate = view
        try controller.performFetch()
        Person(context: context).firstName = "Ada"
        try context.save()
        #expect(view.names == ["Ada"])
    }

    private final class Sidebar: SharedResultsDelegate {
        private(set) var names: [String] = []

        func controller<Object>(
            _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
        ) {
            names.append(controller.fetchRequest.entityName)
        }
    }

    @Test func `one object is the delegate of controllers of several classes`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Person.self, Publication.self, Book.self))
        let context = container.newContext()
        let people = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]), context: context)
        let books = try FetchedResultsController(
            fetchRequest: FetchRequest<Book>(sortDescriptors: [.ascending(\.title)]), context: context)
        let sidebar = Sidebar()
        people.sharedDelegate = sidebar
        books.sharedDelegate = sidebar
        try people.performFetch()
        try books.performFetch()
        Person(context: context).firstName = "Ada"
        try context.save()
        Book(context: context).title = "Emma"
        try context.save()
        #expect(sidebar.names == ["Person", "Book"])
    }

    @Test @MainActor func `sequences deliver changes and snapshots`() async throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]),
            context: context)
        let changes = controller.changes
        let snapshots = controller.snapshots
        try controller.performFetch()
        Person(context: context).firstName = "Ada"
        try context.save()
        var numbers: [Int] = []
        for await change in changes.prefix(1) { numbers.append(change.events.count) }
        for await snapshot in snapshots.prefix(1) { numbers.append(snapshot.numberOfRows) }
        #expect(numbers == [1, 1] && controller.mode == .frozen)
    }

    @Test @MainActor func `a task follows the snapshots of a list`() async throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]),
            context: context)
        try controller.performFetch()

        let snapshots = controller.snapshots
        let following = Task {
            var names: [String] = []
            for await snapshot in snapshots {
                names = try snapshot.objects(in: context).map(\.firstName)
                if names.count == 2 { break }
            }
            return names
        }

        Person(context: context).firstName = "Grace"
        try context.save()
        Person(context: context).firstName = "Ada"
        try context.save()
        #expect(try await following.value == ["Ada", "Grace"])
    }

    /// A text that names all people of a list.
    @MainActor private final class NamesLabel {
        private let people: ObservedResults<Person>
        private(set) var text = ""

        init(_ people: ObservedResults<Person>) {
            self.people = people
            update()
        }

        private func update() {
            text = withObservationTracking {
                people.fetchedObjects?.map(\.firstName).joined(separator: ", ") ?? ""
            } onChange: { [weak self] in
                Task { @MainActor [weak self] in self?.update() }
            }
        }
    }

    @Test @MainActor func `a view shows a model again after each change`() async throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Person.self))
        let context = container.newContext()

        let people = ObservedResults(
            FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]), in: context)
        let label = NamesLabel(people)

        await people.fetchesCompleted()
        for name in ["Grace", "Ada"] {
            Person(context: context).firstName = name
            try context.save()
            for _ in 0..<1_000 where !label.text.contains(name) { await Task.yield() }
        }
        #expect(label.text == "Ada, Grace")
    }

    @Test @MainActor func `a search computes on another thread`() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let container = try PersistentContainer(
            url: directory.file("people.store"), model: ManagedObjectModel(types: Person.self))
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

    @Test func `an event names the changed properties and their old values`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Goods.self, Warehouse.self))
        let context = container.newContext()
        let goods = Goods(context: context)
        goods.name = "Pear"
        let warehouse = Warehouse(context: context)
        warehouse.name = "North"
        goods.warehouse = warehouse
        try context.save()
        let request = FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)])

        let shown = request.displaying(\.warehouse?.name)

        let controller = try FetchedResultsController(
            fetchRequest: shown, context: context, sectionNameKeyPath: \.category)
        let list = List<Goods>()
        controller.delegate = list
        try controller.performFetch()

        goods.count += 1
        try context.save()
        let event = try #require(list.changes.last?.rowEvents.first)
        #expect(event.changedProperties == ["count"])
        #expect(event.oldValue(of: \Goods.count) == 0)
        #expect(event.newSection?.name == "fruit")

        controller.reportUpdates(of: \.name, \.warehouse?.name)

        goods.count += 1
        try context.save()
        #expect(list.changes.count == 1)
        warehouse.name = "South"
        try context.save()
        #expect(list.changes.last?.rowEvents.first?.changedProperties == ["warehouse.name"])
    }

    @Test func `a collapsed section has one update`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Goods.self, Warehouse.self))
        let context = container.newContext()
        let goods = ["Apple", "Pear"].map { name in
            let goods = Goods(context: context)
            goods.name = name
            return goods
        }
        try context.save()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)]),
            context: context, sectionNameKeyPath: .path(\.category))
        let list = List<Goods>()
        controller.delegate = list
        try controller.performFetch()

        let fruit = try #require(controller.sections?[name: "fruit"])
        controller.collapsedSections = [fruit.id]

        goods[0].name = "Zucchini"
        context.delete(goods[1])
        try context.save()
        let change = try #require(list.changes.last)
        #expect(change.rowEvents.isEmpty && change.sectionEvents.map(\.kind) == [.update])
        #expect(change.sectionEvents[0].oldNumberOfObjects == 2)
        #expect(change.sectionEvents[0].newNumberOfObjects == 1)
        #expect(controller.sections?[0].isCollapsed == true)
    }

    @Test func `warehouses are sorted by their stock`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Goods.self, Warehouse.self))
        let context = container.newContext()
        let warehouses = ["North", "South", "West"].map { name in
            let warehouse = Warehouse(context: context)
            warehouse.name = name
            return warehouse
        }
        let goods = [(0, 2 as Int32), (0, 3), (1, 7)].map { position, count in
            let goods = Goods(context: context)
            (goods.count, goods.warehouse) = (count, warehouses[position])
            return goods
        }
        try context.save()

        let byStock = FetchRequest<Warehouse>(
            sortDescriptors: [.descending(.sum(of: \Goods.count, in: \Warehouse.goods)), .ascending(\.name)])

        #expect(try context.fetch(byStock).map(\.name) == ["South", "North", "West"])
        let controller = try FetchedResultsController(fetchRequest: byStock, context: context)
        let list = List<Warehouse>()
        controller.delegate = list
        try controller.performFetch()
        goods[0].count = 9
        try context.save()
        #expect(controller.fetchedObjects?.map(\.name) == ["North", "South", "West"])
        #expect(list.changes.last?.rowEvents.map(\.kind) == [.move])
    }
}
