import Foundation
import ObjectStorage
import CheckSupport
import Testing

/// An index gives the neighbours of a row; without one, hardly any row is read.
@Suite struct NeighbourTests {
    private static let numberOfRows = 3_000
    private let directory = try! TemporaryDirectory()
    private let container: PersistentContainer
    private let seed = SeededGenerator.newSeed()

    /// Creates rows of few values, so that many are equal, with a number for each.
    init() throws {
        let file = directory.file("things.sqlite")
        container = try PersistentContainer(
            url: file,
            model: ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Thing",
                    attributes: [
                        AttributeDescription(name: "kind", type: .integer64, isOptional: true),
                        AttributeDescription(name: "title", type: .string, isOptional: true),
                        AttributeDescription(name: "number", type: .integer64, isOptional: true),
                    ])
            ]))
        var generator = SeededGenerator(seed: seed)
        let rows = (1...Self.numberOfRows).map { number in
            "(\(Int.random(in: 0..<40, using: &generator)), 't\(Int.random(in: 0..<30, using: &generator))', \(number))"
        }
        try Library.runElsewhere(
            "INSERT INTO Thing (kind, title, number) VALUES \(rows.joined(separator: ", "));", path: file.path
        )
    }

    /// Returns the keys of the neighbours of each of some rows.
    private func neighbourKeys(
        _ keys: [Int64], _ order: [FetchRequest<ManagedObject>.SortDescriptor]
    ) throws -> [[Int64]] {
        let request = FetchRequest<ManagedObject>(entityName: "Thing", sortDescriptors: order).description
        return try container.newContext().withSnapshot(
            of: request, columns: .keys, includingPendingChanges: false
        ) { snapshot in
            let compiled = try snapshot.rowsByKey(groupedBy: nil, namedBy: nil)
            return try keys.map { try snapshot.neighbours(ofKeys: [$0], compiled).map(\.key) }
        }
    }

    /// Returns all keys in an SQL order.
    private func keys(_ sql: String) throws -> [Int64] {
        try Library.output(
            of: "SELECT objectID FROM Thing ORDER BY \(sql);", path: directory.file("things.sqlite").path
        )
        .split(separator: "\n").compactMap { Int64($0) }
    }

    @Test func `an index in the requested order gives the rows on both sides`() throws {
        try container.runMaintenance("CREATE INDEX thing_kind ON Thing (kind, title)")
        let sorted = try keys("kind, title, objectID")
        #expect(sorted.count == Self.numberOfRows)
        let neighbourKeys = try neighbourKeys(sorted, [.ascending("kind"), .ascending("title")])
        for (position, neighbours) in neighbourKeys.enumerated() {
            let both = [position + 1, position - 1].filter(sorted.indices.contains).map { sorted[$0] }
            #expect(neighbours == both, "row \(position), seed \(seed)")
        }
        // The order of the keys needs no other index.
        #expect(
            try self.neighbourKeys([1, 7, Int64(Self.numberOfRows)], []) == [
                [2], [8, 6], [Int64(Self.numberOfRows) - 1],
            ])
    }

    @Test func `an index that is read backwards gives rows that are equal to the neighbours`() throws {
        try container.runMaintenance("CREATE INDEX thing_title ON Thing (title)")
        let sorted = try keys("title DESC, objectID")
        var titles: [Int64: Substring] = [:]
        for line in try Library.output(
            of: "SELECT objectID, title FROM Thing;", path: directory.file("things.sqlite").path
        ).split(separator: "\n") {
            let parts = line.split(separator: "|")
            titles[try #require(Int64(parts[0]))] = parts[1]
        }
        let neighbourKeys = try neighbourKeys(sorted, [.descending("title")])
        for (position, neighbours) in neighbourKeys.enumerated() {
            let title = titles[sorted[position]]
            for step in [1, -1] {
                // The next row if its title is equal, otherwise a row whose title equals that of the next
                // row.
                let rest = stride(from: position + step, to: step > 0 ? sorted.count : -1, by: step)
                guard let next = rest.first(where: sorted.indices.contains).map({ sorted[$0] }) else {
                    continue
                }
                #expect(
                    titles[next] == title
                        ? neighbours.contains(next) : neighbours.contains { titles[$0] == titles[next] },
                    "row \(position), seed \(seed)")
            }
        }
    }

    @Test func `an index of the bytes gives nearby rows in a locale's order`() throws {
        try container.runMaintenance("CREATE INDEX thing_title ON Thing (title)")
        let order = TextOrder.localized(Locale(identifier: "en"))
        // These titles have equal positions in the two orders.
        let sorted = try keys("title, objectID")
        #expect(
            try neighbourKeys([sorted[1_000]], [.ascending("title", order: order)]) == [
                [sorted[1_001], sorted[999]]
            ])
    }

    @Test func `without an index no neighbours are returned, and other requests still work`() throws {
        #expect(try neighbourKeys([5, 6], [.ascending("number")]) == [[], []])
        let things = FetchRequest<ManagedObject>(entityName: "Thing")
        #expect(try container.newContext().count(for: things) == Self.numberOfRows)
    }
}
