import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import SectionedFetch
import Testing

// The article “Core Data Stores” shows these listings.

@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct CoreDataStoresListings {
    private let url = SampleStore.url("coredataplus/SampleModel/SampleModel_V2.sqlite")

    @Test func `a store is listed in sections`() throws {
        let container = try PersistentContainer(coreDataStore: url)
        let context = container.newContext()
        let cars = FetchRequest<ManagedObject>(
            entityName: "Car", predicate: try .init(format: "owner.lastName BEGINSWITH %@", "B"),
            sortDescriptors: [.ascending("maker")])
        let list = try FetchedResultsController(
            fetchRequest: cars, context: context, sectionNameKeyPath: "maker")
        try list.performFetch()
        let count = list.sections?.reduce(0) { $0 + $1.numberOfObjects }
        let expected = try Python.lines(
            of: """
                import sqlite3, sys
                c = sqlite3.connect('file:%s?immutable=1' % sys.argv[1], uri=True)
                print(c.execute('select count(*) from ZCAR c join ZPERSON p on p.Z_PK = c.ZOWNER '
                    "where substr(p.ZLASTNAME, 1, 1) = 'B'").fetchone()[0])
                """, url.path)
        #expect(count.map { "\($0)" } == expected.first)
    }

    @Test func `objects are saved on request`() throws {
        let directory = try TemporaryDirectory()
        let url = try SampleStore.copy("coredataplus/SampleModel/SampleModel_V2.sqlite", to: directory)
        var options = StoreOptions()
        options.coreDataWriting = .withCopy
        let container = try PersistentContainer(coreDataStore: url, options: options)
        let context = container.newContext()
        let car = try context.insert(entityNamed: "SportCar")
        car["numberPlate"] = .text("B 7")
        try context.save()
        print(container.coreDataStoreCopyURL as Any)
        let key = try #require(car.objectID.primaryKey)
        let row = try Python.lines(
            of: """
                import sqlite3, sys
                print(*sqlite3.connect(sys.argv[1]).execute(
                    'select Z_ENT, Z_OPT, ZNUMBERPLATE from ZCAR where Z_PK = ' + sys.argv[2]).fetchone())
                """, url.path, String(key))
        #expect(row == ["2 1 B 7"] && container.coreDataStoreCopyURL != nil)
    }

    @Test func `a store lists its unreadable parts`() throws {
        let store = try CoreDataStore(contentsOf: url)
        for part in store.unreadableParts { print(part) }
        let names = store.renamedEntities
        #expect(names == ["LuxuryCar": "ExpensiveSportCar"] && store.unreadableParts.isEmpty)
    }
}
