import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// The rows of every sample store, compared with an independent reader.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct StoreReadingTests {
    @Test(arguments: SampleStore.paths)
    func `counts, values and relationships agree with an independent reader`(path: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy(path, to: directory)
        let before = try SampleStore.contents(of: directory.url)
        let store = try CoreDataStore(contentsOf: copy)
        #expect(store.unreadableParts.isEmpty)
        let lines = try StoreOracle.lines(of: PersistentContainer(store))
        #expect(try SampleStore.contents(of: directory.url) == before)
        let expected = try StoreOracle.expectedLines(ofStoreAt: copy.path)
        #expect(lines.count == expected.count)
        let first = zip(lines, expected).first { $0 != $1 }
        #expect(first == nil, "\(String(describing: first))")
    }

    @Test(arguments: SampleStore.paths)
    func `random rows of all entities agree with an independent reader`(path: String) throws {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy(path, to: directory)
        let seed = SeededGenerator.newSeed()
        try StoreOracle.fill(storeAt: copy.path, seed: seed)
        let before = try SampleStore.contents(of: directory.url)
        let lines = try StoreOracle.lines(of: PersistentContainer(coreDataStore: copy))
        #expect(try SampleStore.contents(of: directory.url) == before)
        let expected = try StoreOracle.expectedLines(ofStoreAt: copy.path)
        #expect(lines.count == expected.count)
        let first = zip(lines, expected).first { $0 != $1 }
        #expect(first == nil, "\(String(describing: first))")
    }

    @Test func `rows that are only in the log are read`() throws {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy("duckduckgo-bookmarks/Bookmarks_V4.sqlite", to: directory)
        let context = try PersistentContainer(coreDataStore: copy).newContext()
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "BookmarkEntity")) == 10)
        // The log is read even without its index, which Core Data leaves behind.
        try FileManager.default.removeItem(atPath: copy.path + "-shm")
        let before = try SampleStore.contents(of: directory.url)
        let other = try PersistentContainer(coreDataStore: copy).newContext()
        #expect(try other.count(for: FetchRequest<ManagedObject>(entityName: "BookmarkEntity")) == 10)
        #expect(try SampleStore.contents(of: directory.url) == before)
    }

    @Test func `transformable attributes are bytes, or the values of a transformer`() throws {
        let url = SampleStore.url("carekit/SampleStore2.0.sqlite")
        let context = try PersistentContainer(coreDataStore: url).newContext()
        let contacts = try context.fetch(FetchRequest<ManagedObject>(entityName: "OCKCDContact"))
        let values = try contacts.compactMap {
            try $0.transformedValue(forProperty: "phoneNumbersDictionary")
        }
        let dictionaries = values.compactMap { $0 as? NSDictionary }
        #expect(dictionaries == [["_$!<Work>!$_": "(324) 555-7415"], ["_$!<Work>!$_": "(324) 555-7415"]])
        for contact in contacts {
            let value = try contact.value(forProperty: "phoneNumbersDictionary")
            guard case .blob(let bytes) = value else {
                #expect(Bool(false), "\(value)")
                continue
            }
            #expect(bytes.starts(with: Array("bplist00".utf8)))
        }
    }

    @Test func `an entity that a migration renamed is found by its earlier name`() throws {
        let store = try CoreDataStore(
            contentsOf: SampleStore.url("coredataplus/SampleModel/SampleModel_V2.sqlite"))
        #expect(store.renamedEntities == ["LuxuryCar": "ExpensiveSportCar"])
        let context = try PersistentContainer(store).newContext()
        let cars = try context.fetch(FetchRequest<ManagedObject>(entityName: "Car"))
        #expect(cars.count == 125)
        #expect(Set(cars.map(\.entity.name)) == ["Car", "SportCar", "LuxuryCar"])
    }
}
