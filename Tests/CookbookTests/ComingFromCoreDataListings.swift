import CheckSupport
import Foundation
import ModelReading
import SectionedFetch
import Testing

protocol Named: ManagedObject { var name: String { get set } }

extension Goods: Named {}
extension Warehouse: Named {}

enum Entry: ObjectUnion {
    case goods(Goods)
    case warehouse(Warehouse)

    typealias SharedProperties = any Named
    static let members = [Member(Entry.goods), Member(Entry.warehouse)]
}

/// The listings of the article “Coming from Core Data”.
@Suite struct ComingFromCoreDataListings: GoodsListings {
    /// The directory for stores, caches and model files.
    private let directory = try! TemporaryDirectory()
    private let container: PersistentContainer
    let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Person.self, Goods.self, Warehouse.self))
        context = container.newContext()
    }

    /// Saves goods: apples and pears in the warehouse “North”, leeks in “South”.
    @discardableResult
    private func addGoods(to context: ManagedObjectContext) throws -> [Goods] {
        let warehouses = ["North", "South"].map { name in
            let warehouse = Warehouse(context: context)
            warehouse.name = name
            return warehouse
        }
        let list = ["Apple", "Leek", "Pear"].enumerated().map { position, name in
            let goods = Goods(context: context)
            goods.name = name
            goods.category = position == 1 ? .vegetable : .fruit
            goods.count = Int32(position)
            goods.added = Date(timeIntervalSinceReferenceDate: Double(position) * 100 * 86_400)
            goods.warehouse = warehouses[position % 2]
            return goods
        }
        try context.save()
        return list
    }

    // MARK: Lists of several entities

    @Test func `a list has objects of several entities`() throws {
        let caches = SectionCacheStore(directory: directory.file("caches"))
        try addGoods(to: context)

        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest(
                for: Entry.self, sortDescriptors: [.ascending(\.name, of: Entry.self)]),
            context: context, sectionNameKeyPath: .firstLetter(of: Entry.path(to: \.name)),
            cacheName: "entries", cacheStore: caches)

        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["A", "L", "N", "P", "S"])
        var titles: [String] = []

        switch controller.object(at: [0, 0], as: Entry.self) {
        case .goods(let goods): titles.append("\(goods.name), \(goods.count) pieces")
        case .warehouse(let warehouse): titles.append(warehouse.name)
        }

        #expect(titles == ["Apple, 0 pieces"])
    }

    // MARK: A controller

    @Test func `a controller has a request, sections and a cache`() throws {
        let url = directory.file("goods.store")
        let caches = SectionCacheStore(directory: directory.file("caches"))

        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Goods.self, Warehouse.self))
        let context = container.newContext()

        try addGoods(to: context)

        let request = FetchRequest<Goods>(
            predicate: try FetchRequest<Goods>.Predicate(format: "category != %@", "bread"),
            sortDescriptors: [
                .ascending("warehouse.name"),
                .ascending(\.name, order: .localized(Locale(identifier: "en"))),
            ])
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "warehouse.name",
            cacheName: "goods", cacheStore: caches)
        try controller.performFetch()
        print(controller.cacheLookup?.description ?? "no cache")

        let sections = controller.sections.map(Array.init) ?? []
        let numberOfSections = controller.sections?.count ?? 0

        #expect(sections.map(\.name) == ["North", "South"] && numberOfSections == 2)
        #expect(controller.sections?.map { $0.map(\.name) } == [["Apple", "Pear"], ["Leek"]])
        #expect(controller.cacheLookup?.isHit == false)
        caches.waitForWrites()
        let next = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "warehouse.name",
            cacheName: "goods", cacheStore: caches)
        try next.performFetch()
        #expect(next.cacheLookup?.isHit == true)
    }

    // MARK: Events

    private final class Stock: FetchedResultsControllerDelegate {
        private(set) var lines: [String] = []
        private(set) var changes: [ResultsChange] = []

        func controller(
            _ controller: FetchedResultsController<Goods>, didChangeObject event: ResultsChange.RowEvent
        ) {
            guard let path = event.newIndexPath, let count = event.oldValue(of: \Goods.count),
                event.changedProperties?.contains("count") ?? true
            else { return }
            let goods = controller.object(at: path)
            lines.append("\(goods.name): \(count) to \(goods.count)")
        }

        func controller(
            _ controller: FetchedResultsController<Goods>, didChangeContentWith change: ResultsChange
        ) { changes.append(change) }
    }

    @Test func `events have old values, and updates are those of some properties`() throws {
        let list = try addGoods(to: context)

        let request = FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)])
        let controller = try FetchedResultsController(
            fetchRequest: request.displaying(\.warehouse?.name), context: context,
            sectionNameKeyPath: \.category)
        controller.reportUpdates(of: \.count, \.warehouse?.name)

        let stock = Stock()
        controller.delegate = stock
        try controller.performFetch()
        list[0].count = 5
        try context.save()
        #expect(stock.lines == ["Apple: 0 to 5"])
        #expect(stock.changes.count == 1)

        // The price is not among the reported properties.
        list[0].price = 3
        try context.save()
        #expect(stock.changes.count == 1)

        list[0].warehouse?.name = "East"
        try context.save()
        let events = try #require(stock.changes.last).rowEvents
        #expect(events.map(\.changedProperties) == [["warehouse.name"], ["warehouse.name"]])
        #expect(events.map { $0.oldValue(of: "warehouse.name") } == [.text("North"), .text("North")])
        #expect(stock.lines.count == 1)
    }

    @Test func `one section and one object are observed`() async throws {
        let list = try addGoods(to: context)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)]),
            context: context, sectionNameKeyPath: \.category)
        try controller.performFetch()

        let fruit = try #require(controller.sections?[name: "fruit"])
        let changesOfFruit = controller.changes(inSection: fruit.id)
        let changesOfApple = controller.changes(ofObjectAt: IndexPath(row: 0, section: 0))

        // A vegetable, which belongs to neither sequence.
        list[1].count = 4
        try context.save()
        list[0].count = 7
        try context.save()
        var kinds: [ResultsChange.Kind] = []
        var names: Set<String>?
        for await change in changesOfFruit.prefix(1) { kinds = change.rowEvents.map(\.kind) }
        for await change in changesOfApple.prefix(1) {
            if case .event(let event) = change { names = event.changedProperties }
        }
        #expect(kinds == [.update])
        #expect(names == ["count"])
    }

    // MARK: Sections

    @Test func `sections are computed without transient properties`() throws {
        try addGoods(to: context)
        let english = Locale(identifier: "en")

        let byQuarter = SectionKey.quarter(of: \Goods.added, in: .gmt)
        let byDecade = SectionKey.decade(of: \Goods.added, in: .gmt)
        let byCount = SectionKey.range(of: \Goods.count, bounds: [1, 100])
        let byLetter = SectionKey.indexLetter(of: \Goods.name, in: english)
        let byName = SectionKey.foldedText(of: \Goods.name)
        let byCategory = SectionKey("category").declaring(["bread", "fruit", "vegetable"])
        #expect(try names(byQuarter, sorted: .ascending(\.added)) == ["2001-Q1", "2001-Q2", "2001-Q3"])
        #expect(try names(byDecade, sorted: .descending(\.added)) == ["2000s"])
        #expect(try names(byCount, sorted: .ascending(\.count)) == ["below 1", "1 to 100"])
        #expect(try names(byLetter, sorted: .ascending(\.name, order: .indexed(english))) == ["A", "L", "P"])
        #expect(try names(byName, sorted: .ascending(.foldedText(of: \Goods.name))).first == "Apple")
        #expect(try names(byCategory, sorted: .ascending(\.category)) == ["bread", "fruit", "vegetable"])
    }

    @Test func `warehouses are grouped by the number of their goods`() throws {
        let list = try addGoods(to: context)

        let bySize = FetchRequest<Warehouse>(
            sortDescriptors: [.descending(.count(of: \Warehouse.goods)), .ascending(\.name)])
        let controller = try FetchedResultsController(
            fetchRequest: bySize, context: context,
            sectionNameKeyPath: SectionKey(.count(of: \Warehouse.goods)))

        let changes = controller.changes
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["2", "1"])
        list[1].warehouse = list[0].warehouse
        try context.save()
        #expect(controller.sections?.map(\.name) == ["3", "0"])
        #expect(controller.fetchedObjects?.map(\.name) == ["North", "South"])
        withExtendedLifetime(changes) {}
    }

    // MARK: Results for views

    @Test @MainActor func `a view observes a model of results`() async throws {
        let context = container.newContext()
        try addGoods(to: context)

        let goods = ObservedResults(
            FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)]), in: context,
            sectionNameKeyPath: "category")

        await goods.fetchesCompleted()
        #expect(goods.sections?.map(\.name) == ["fruit", "vegetable"])

        goods.request.predicate = \.count > 0

        await goods.fetchesCompleted()
        #expect(goods.fetchedObjects?.map(\.name) == ["Pear", "Leek"])
        #expect(goods.error == nil)
    }

    @Test @MainActor func `sequences have changes and snapshots`() async throws {
        let context = container.newContext()
        let list = try addGoods(to: context)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)]),
            context: context, sectionNameKeyPath: \.category)
        try controller.performFetch()
        var moves: [ResultsChange.Kind] = []
        var names: [String] = []

        let changes = controller.changes
        list[1].category = .bread
        try context.save()
        for await change in changes.prefix(1) { moves += change.rowEvents.map(\.kind) }
        for await snapshot in controller.snapshots.prefix(1) { names = snapshot.map(\.name) }

        #expect(moves == [.move])
        #expect(names == ["bread", "fruit"])
    }

    private final class Screen: SharedResultsDelegate {
        private(set) var changed: [String] = []

        func controllerDidChangeContent<Object: ManagedObject>(
            _ controller: FetchedResultsController<Object>
        ) {
            changed.append(controller.fetchRequest.entityName)
        }
    }

    @Test func `one delegate follows goods and warehouses`() throws {
        let list = try addGoods(to: context)
        let goods = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.name)]), context: context)
        let warehouses = try FetchedResultsController(
            fetchRequest: FetchRequest<Warehouse>(sortDescriptors: [.ascending(\.name)]), context: context)
        let screen = Screen()
        goods.sharedDelegate = screen
        warehouses.sharedDelegate = screen
        try goods.performFetch()
        try warehouses.performFetch()
        list[2].name = "Plum"
        try context.save()
        list[2].warehouse?.name = "West"
        try context.save()
        #expect(screen.changed == ["Goods", "Warehouse"])
    }

    // MARK: Unique values

    final class Supplier: ManagedObject {
        @Attribute(.unique) var name: String = ""
        @Attribute var city: String = ""
        @Attribute var rating: Int16 = 0
    }

    @Test func `a unique value leads to the present row`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Supplier.self))
        let context = container.newContext()
        let first = Supplier(context: context)
        (first.name, first.city, first.rating) = ("Orchard", "Bern", 3)
        try context.save()

        let rows: [[String: StoredValue]] = [["name": "Orchard", "rating": 5], ["name": "Mill"]]
        let result = try context.batchInsert(Supplier.self, updatingOn: \.name, rows: rows)
        #expect(result.insertedCount == 1 && result.updatedCount == 1)

        context.mergePolicy = .propertyByProperty(.context)
        let supplier = Supplier(context: context)
        supplier.name = "Orchard"
        supplier.city = "Basel"
        try context.save()
        #expect(try context.count(for: FetchRequest<Supplier>()) == 2)

        let found = try context.fetch(FetchRequest<Supplier>(predicate: \.name == "Orchard"))
        #expect(found.map(\.city) == ["Basel"] && found.map(\.rating) == [5])
    }

    // MARK: Model files

    /// The source of a model in the form that Apple's tools write.
    private static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Guest" representedClassName="Guest" syncable="YES">
                <attribute name="name" attributeType="String"/>
                <attribute name="seats" attributeType="Integer 16" defaultValueString="1"/>
            </entity>
        </model>
        """

    final class Guest: ManagedObject {
        @Attribute var name: String
        @Attribute var seats: Int16 = 1
    }

    @Test func `a class is bound to a model file`() throws {
        let file = directory.file("Party.xcdatamodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try Data(Self.contents.utf8).write(to: file.appending(path: "contents"))
        let store = directory.file("party.store")

        let model = try ManagedObjectModel(dataModel: file, classes: [Guest.self])
        let container = try PersistentContainer(url: store, model: model)

        let context = container.newContext()
        Guest(context: context).name = "Ada"
        try context.save()
        #expect(try context.fetch(FetchRequest<Guest>()).map(\.seats) == [1])
    }
}
