import Foundation
import SectionedFetch
import Testing

// Solutions to the tasks of Core Data tutorials. The article “Cookbook” shows these listings.

final class Person: ManagedObject {
    @Attribute var firstName: String = ""
    @Attribute var age: Int16 = 0
}

/// Any `Codable` structure can be the value of a transformable attribute.
struct Color: Hashable, Codable {
    var red: Double, green: Double, blue: Double
}

struct Rectangle: Hashable {
    var x: Double, y: Double, width: Double, height: Double
}

/// A custom transformer determines the bytes. The model contains its name, so do not change the name.
enum RectangleTransformer: AttributeTransformer {
    static let name = "Rectangle"

    static func data(from value: Rectangle) -> Data {
        Data("\(value.x) \(value.y) \(value.width) \(value.height)".utf8)
    }

    static func value(from data: Data) throws -> Rectangle {
        let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 4 else { throw TransformationError("not four numbers") }
        return Rectangle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }
}

/// The day of a date in a time zone. Increase the version if the text for any date ever changes.
struct Day: KeyFunction {
    static let name = "day"
    static let version = 1
    var timeZone: TimeZone

    func key(for date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(timeZone: timeZone).year().month().day())
    }
}

/// Objects that `NSKeyedArchiver` archives need a transformer that lists their classes.
enum StopsTransformer: KeyedArchiveTransformer {
    typealias Value = NSArray
    static let name = "Stops"
    static var allowedClasses: [any (NSObject & NSSecureCoding).Type] { [NSArray.self, NSString.self] }
}

final class Route: ManagedObject {
    @Transformable(by: StopsTransformer.self) var stops: NSArray?
}

/// A book or a magazine. The entity is abstract: each object belongs to one of its sub-entities.
class Publication: ManagedObject {
    override class var isAbstractEntity: Bool { self == Publication.self }
    @Attribute(.indexed) var title: String = ""
}

final class Book: Publication {
    @Attribute var pages: Int16 = 0
}

final class Magazine: Publication {
    @Attribute var issue: Int32 = 1
}

@Suite final class CookbookTests: GoodsListings {
    private let container: PersistentContainer
    let context: ManagedObjectContext

    init() throws {
        let model = try ManagedObjectModel(types: Person.self, Goods.self, Warehouse.self)
        container = try PersistentContainer(inMemoryWith: model)
        context = container.newContext()
    }

    private func addGoods() throws {
        let north = Warehouse(context: context)
        north.name = "North"
        let south = Warehouse(context: context)
        south.name = "South"
        let stock: [(String, Category, Warehouse, price: Decimal, count: Int32)] = [
            ("Apple", .fruit, north, 4, 0),
            ("Pear", .fruit, south, 12, 1),
            ("Leek", .vegetable, north, 9, 3),
            ("Rye", .bread, south, 0, 100),
            ("Carrot", .vegetable, north, 19, 0),
        ]
        for (day, (name, category, warehouse, price, count)) in stock.enumerated() {
            let goods = Goods(context: context)
            (goods.name, goods.category, goods.warehouse) = (name, category, warehouse)
            (goods.price, goods.count) = (price, count)
            // The reference date is the first moment of 2001.
            goods.added = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
        }
        try context.save()
    }

    @Test func `people are listed by age and then by first name`() throws {
        for (name, age) in [("Ada", 36), ("Bob", 20), ("Alan", 36)] {
            let person = Person(context: context)
            person.firstName = name
            person.age = Int16(age)
        }
        try context.save()

        let request = FetchRequest<Person>(sortDescriptors: [.ascending(\.age), .ascending(\.firstName)])
        #expect(try context.fetch(request).map(\.firstName) == ["Bob", "Ada", "Alan"])
    }

    @Test func `goods are listed by category, and a tap increments a counter`() throws {
        try addGoods()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.category), .ascending(\.name)]),
            context: context, sectionNameKeyPath: .path(\Goods.category))
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["bread", "fruit", "vegetable"])

        // The row that was tapped.
        let tapped = controller.object(at: IndexPath(row: 1, section: 1))
        tapped.count += 1
        try context.save()
        #expect(tapped.name == "Pear" && tapped.count == 2)
    }

    @Test func `warehouses have categories as subsections`() throws {
        try addGoods()
        let outline = SectionKey.path(\Goods.warehouse?.name).subdivided(by: .path(\Goods.category))
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [
                .ascending("warehouse.name"), .ascending(\.category), .ascending(\.name),
            ]),
            context: context, sectionNameKeyPath: outline)
        try controller.performFetch()
        let north = try #require(controller.sections?[name: "North"])
        #expect(north.subsections?.map(\.name) == ["fruit", "vegetable"])
        #expect(north.subsections?.map(\.numberOfObjects) == [1, 2])
        #expect(north.subsections?[0].key(as: Category.self) == .fruit)
        #expect(controller.object(at: [0, 1, 0]).name == "Carrot")
    }

    @Test func `a warehouse's name is the section key`() throws {
        try addGoods()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [
                .ascending("warehouse.name"), .ascending(\.name),
            ]),
            context: context, sectionNameKeyPath: "warehouse.name")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["North", "South"])
        #expect(controller.sections?.map(\.numberOfObjects) == [3, 2])
    }

    @Test func `days of a date are computed section keys`() throws {
        try addGoods()
        let days = SectionKey.computed(Day(timeZone: .gmt), of: \Goods.added)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Goods>(sortDescriptors: [.ascending(\.added)], fetchLimit: 2),
            context: context, sectionNameKeyPath: days)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["2001-01-01", "2001-01-02"])
    }

    @Test func `dates and numbers are grouped by units and ranges`() throws {
        try addGoods()
        let byDay = SectionKey.day(of: \Goods.added, in: .gmt)
        let byWeek = SectionKey.week(of: \Goods.added, in: .gmt)
        let byPrice = SectionKey.range(of: \Goods.price, step: 10)
        let byCount = SectionKey.range(of: \Goods.count, bounds: [1, 10, 100])
        #expect(try names(byDay, sorted: .ascending(\.added)).first == "2001-01-01")
        #expect(try names(byWeek, sorted: .ascending(\.added)) == ["2001-W01"])
        #expect(try names(byPrice, sorted: .ascending(\.price)) == ["0 to 10", "10 to 20"])
        #expect(try names(byCount, sorted: .descending(\.count)) == ["100 and above", "1 to 10", "below 1"])
    }

    @Test func `names without regard to case and accents are section keys`() throws {
        for name in ["Málaga", "malaga", "Oslo"] { Warehouse(context: context).name = name }
        try context.save()
        let key = SectionKey.foldedText(of: \Warehouse.name)
        let request = FetchRequest<Warehouse>(
            sortDescriptors: [.ascending(.foldedText(of: \Warehouse.name)), .ascending(\.name)])
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: key)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["Málaga", "Oslo"])
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
    }

    @Test func `an index bar has all letters of the alphabet`() throws {
        for name in ["Ada", "“Alan”", "Émile", "ʻAlī", "Zoë"] { Person(context: context).firstName = name }
        try context.save()
        let locale = Locale(identifier: "en")
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(
                sortDescriptors: [.ascending(\.firstName, order: .indexed(locale))]),
            context: context, sectionNameKeyPath: .indexLetter(of: \Person.firstName, in: locale))
        controller.indexAlphabet = IndexAlphabet(locale)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["A", "E", "Z"])
        // All letters of the alphabet; those without a section lead to the next one.
        #expect(controller.sectionIndexTitles.count == 26)
        #expect(controller.section(forSectionIndexTitle: "F") == 2)
    }

    @Test func `a fetch limit returns the two newest objects`() throws {
        try addGoods()
        let request = FetchRequest<Goods>(sortDescriptors: [.descending(\.added)], fetchLimit: 2)
        #expect(try context.fetch(request).map(\.name) == ["Carrot", "Rye"])
    }

    @Test func `a Codable structure is the value of an attribute`() throws {
        let goods = Goods(context: context)
        goods.color = Color(red: 1, green: 0.5, blue: 0)
        try context.save()
        context.refresh(goods)
        #expect(goods.color == Color(red: 1, green: 0.5, blue: 0))
    }

    @Test func `a picture is kept out of the row`() throws {
        try addGoods()
        let list = try context.fetch(FetchRequest<Goods>(sortDescriptors: [.ascending(\.name)]))
        let picture = Data(repeating: 0xFF, count: 300_000)
        list[0].picture = picture
        try context.save()
        context.refresh(list[0])
        #expect(list[0].name == "Apple" && list[0].picture == picture)
    }

    @Test func `an enumeration is used in an object and in a predicate`() throws {
        try addGoods()
        let vegetables = FetchRequest<Goods>(predicate: \.category == .vegetable)
        #expect(try context.count(for: vegetables) == 2)
    }

    @Test func `a custom transformer stores a rectangle`() throws {
        let goods = Goods(context: context)
        goods.place.width = 0.1
        try context.save()
        context.refresh(goods)
        #expect(goods.place == Rectangle(x: 0, y: 0, width: 0.1, height: 1))
    }

    @Test func `sums of decimals are exact`() throws {
        let goods = Goods(context: context)
        goods.price = Decimal(string: "0.1") ?? 0
        for _ in 0..<9 { goods.price += Decimal(string: "0.1") ?? 0 }
        try context.save()
        context.refresh(goods)
        #expect(goods.price == 1)
    }

    @Test @MainActor func `a view observes a model of results`() async throws {
        let context = container.newContext()
        let people = ObservedResults(
            FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)]), in: context)
        await people.fetchesCompleted()

        Person(context: context).firstName = "Ada"
        try context.save()
        #expect(people.fetchedObjects?.map(\.firstName) == ["Ada"])

        people.request = FetchRequest(predicate: \.age > 30, sortDescriptors: [.ascending(\.age)])
        await people.fetchesCompleted()
        #expect(people.count == 0 && people.error == nil)
    }

    @Test func `an archived object is the value of an attribute`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Route.self))
        let context = container.newContext()
        let route = Route(context: context)
        route.stops = ["Bern", "Turin"] as NSArray
        try context.save()
        context.refresh(route)
        #expect(route.stops == ["Bern", "Turin"] as NSArray)
    }

    @Test func `books and magazines are in one list`() throws {
        let model = try ManagedObjectModel(types: Publication.self, Book.self, Magazine.self)
        let container = try PersistentContainer(inMemoryWith: model)
        let context = container.newContext()
        for title in ["Emma", "Persuasion"] { Book(context: context).title = title }
        Magazine(context: context).title = "Gardens"
        try context.save()

        let all = FetchRequest<Publication>(sortDescriptors: [.ascending(\.title)])
        #expect(try context.fetch(all).map(\.title) == ["Emma", "Gardens", "Persuasion"])
        #expect(try context.fetch(all)[1] is Magazine)
        let books = FetchRequest<Book>(predicate: \.title < "F" && \.pages == 0)
        #expect(try context.fetch(books).map(\.title) == ["Emma"])
    }
}
