import CheckSupport
import Foundation
import ModelReading
import ObjectStorage
import Testing

/// Classes that `model-tool` wrote for a database, in use.
@Suite struct DatabaseClassTests {
    @Test(.enabled(if: Python.path != nil, "SKIPPED: python3 is not on the search path."))
    func `objects of generated classes read and write the rows of the database`() throws {
        let directory = try TemporaryDirectory()
        let sql = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "GeneratedFromDatabase/shop.sql")
        _ = try Python.output(
            of: "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())",
            [directory.file("shop.sqlite").path, sql.path])
        let container = try PersistentContainer(
            url: directory.file("shop.sqlite"),
            model: ManagedObjectModel(types: Customers.self, Orders.self, Product.self),
            options: StoreOptions(existingTables: .untracked))
        let context = container.newContext()
        let customers = try context.fetch(FetchRequest<Customers>(sortDescriptors: [.ascending(\.name)]))
        #expect(customers.map(\.name) == ["Ada", "Bea"])
        #expect(customers[0].createdAt == Date(timeIntervalSince1970: 1_704_164_645))
        #expect(customers[0].descriptionValue == "first" && customers[0].eMail == "ada@example.org")
        #expect(customers.map { $0.orders.count } == [2, 1])
        let order = try #require(customers[1].orders.first)
        #expect(order.paidOn == Date(timeIntervalSince1970: 1_600_000_000) && order.total == 0)
        let products = try context.fetch(FetchRequest<Product>(sortDescriptors: [.descending(\.priceIn)]))
        #expect(products.map(\.inStock) == [true, false] && products.map { $0.orders.count } == [1, 2])
        order.product.insert(products[0])
        order.class = "late"
        try context.save()
        let other = container.newContext()
        let late = try other.fetch(FetchRequest<Orders>(predicate: \.class == "late"))
        #expect(late.first?.product.map(\.url) == ["https://example.org/1"])
    }
}
