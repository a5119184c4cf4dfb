import CoreDataStores
import Foundation
import ObjectStorage
import Testing

private final class Car: ManagedObject {
    @Attribute var maker: String?
    @Attribute var model: String?
    @Attribute var numberPlate: String = ""
    @Relationship(inverse: \Person.cars) var owner: Person?
}

private final class Person: ManagedObject {
    @Attribute var firstName: String?
    @Attribute var lastName: String?
    @Relationship var cars: Set<Car>
}

/// Objects of an app's classes, whose names fit the entities of a store.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct TypedObjectsTests {
    private let url = SampleStore.url("coredataplus/SampleModel/SampleModel_V2.sqlite")

    @Test func `objects are of the classes that fit their entities`() throws {
        let container = try PersistentContainer(coreDataStore: url, classes: [Car.self, Person.self])
        let context = container.newContext()
        let cars = try context.fetch(FetchRequest<Car>(sortDescriptors: [.ascending(\.maker)]))
        #expect(cars.count == 125 && cars.map { $0.maker ?? "" } == cars.map { $0.maker ?? "" }.sorted())
        let owned = cars.filter { $0.owner != nil }
        #expect(owned.allSatisfy { $0.owner?.cars.contains($0) == true })
        let people = try context.fetch(FetchRequest<Person>())
        #expect(people.reduce(0) { $0 + $1.cars.count } == owned.count && owned.count > 10)
        let name = try #require(people[0].lastName)
        let count = try context.count(for: FetchRequest<Car>(predicate: \.owner?.lastName == name))
        #expect(count == owned.count { $0.owner?.lastName == name })
    }

    @Test func `a class that does not fit is refused with the difference`() throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(coreDataStore: url, classes: [Misfit.self])
        }
        #expect(error?.code == .invalidModel && error?.message.contains("nickname") == true)
    }
}

private final class Misfit: ManagedObject {
    override class var entityName: String { "Person" }
    @Attribute var nickname: String?
}
