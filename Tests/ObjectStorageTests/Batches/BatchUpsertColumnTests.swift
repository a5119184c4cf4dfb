import CheckSupport
import Foundation
import GRDB
import GRDBSQLite
import ObjectStorage
import Testing

private final class Page: ManagedObject {
    @Attribute(.unique) var title: String?
    @Attribute var length: Int64 = 0
    @Attribute(details: .init(derivation: "canonical:(title)")) var key: String?
    @Attribute(details: .init(derivation: "now()")) var changed: Date?
}

/// The columns that the rows of an upsert give: derived ones, and many different sets of them.
@Suite struct BatchUpsertColumnTests {
    private let directory = try! TemporaryDirectory()

    @Test func `derived values in the rows of a batch are ignored`() throws {
        let url = directory.file("pages.sqlite")
        let context = try PersistentContainer(url: url, model: ManagedObjectModel(types: Page.self))
            .newContext()
        func upsert(length: Int64) throws -> BatchUpsertResult {
            try context.batchInsert(
                Page.self, updatingOn: \.title,
                rows: [["title": "Été", "length": .integer(length), "key": "given", "changed": .real(5)]],
                resultType: .objectIDs)
        }
        func stored() throws -> [String] {
            try Library.output(of: "SELECT key, length, changed FROM Page", path: url.path)
                .split(whereSeparator: { $0 == "|" || $0 == "\n" }).map(String.init)
        }
        #expect(try upsert(length: 3).insertedCount == 1)
        let first = try stored()
        #expect(first.prefix(2) == ["ete", "3"])
        for _ in 0..<2 {
            let result = try upsert(length: 3)
            #expect(result.insertedCount == 0 && result.updatedCount == 0 && result.changes.isEmpty)
            #expect(try stored() == first)
        }
        #expect(try upsert(length: 4).updatedCount == 1)
        let second = try stored()
        #expect(second.prefix(2) == ["ete", "4"] && second[2] != first[2])
        // Only the derived values are given beside the unique one.
        let result = try context.batchInsert(
            Page.self, updatingOn: \.title, rows: [["title": "Été", "key": "x"]])
        #expect(try result.updatedCount == 0 && stored() == second)
    }

    @Test func `rows with many sets of columns are written with a limited number of statements`() throws {
        let queue = try DatabaseQueue(path: directory.file("cells.sqlite").path)
        let names = (0..<8).map { "c\($0)" }
        let entity = EntityDescription(
            name: "Cell",
            attributes: [AttributeDescription(name: "code", type: .string, isUnique: true)]
                + names.map { AttributeDescription(name: $0, type: .integer64, isOptional: true) })
        let context = try PersistentContainer(
            writer: queue, model: ManagedObjectModel(entities: [entity])
        ).newContext()
        var expected: [String: [String: Int64]] = [:]
        var maximum = 0
        // Each of the 256 sets of columns occurs twice, for different rows.
        let rows = (0..<512).lazy.map { number -> [String: StoredValue] in
            maximum = max(maximum, queue.unsafeReentrantWrite(Self.numberOfStatements))
            let code = "\(number % 3)"
            var row: [String: StoredValue] = ["code": .text(code)]
            for (bit, name) in names.enumerated() where number >> bit & 1 == 1 {
                row[name] = .integer(Int64(number))
                expected[code, default: [:]][name] = Int64(number)
            }
            return row
        }
        let result = try context.batchInsert(
            ManagedObject.self, entityName: "Cell", updatingOn: ["code"], rows: rows)
        #expect(result.insertedCount == 3)
        #expect(maximum > 0 && maximum < 200, "\(maximum) statements existed at a time.")
        let cells = try context.fetch(FetchRequest<ManagedObject>(entityName: "Cell"))
        #expect(cells.count == 3)
        for cell in cells {
            guard case .text(let code) = cell["code"] else {
                Issue.record("\(cell) has no code.")
                continue
            }
            for name in names {
                let value: StoredValue = expected[code]?[name].map { .integer($0) } ?? .null
                #expect(cell[name] == value)
            }
        }
    }

    /// Returns the number of prepared statements of a connection.
    private static func numberOfStatements(_ database: Database) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
        while let current = statement {
            count += 1
            statement = sqlite3_next_stmt(database.sqliteConnection, current)
        }
        return count
    }
}
