import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Predicates with lists of any length, also of more values than SQLite takes parameters.
@Suite struct LongListTests {
    private static let json = """
        [{"name": "Thing", "attributes": [
            {"name": "number", "type": "integer64", "isOptional": true},
            {"name": "size", "type": "double", "isOptional": true},
            {"name": "made", "type": "date", "isOptional": true},
            {"name": "code", "type": "uuid", "isOptional": true},
            {"name": "bytes", "type": "binaryData", "isOptional": true},
            {"name": "price", "type": "decimal", "isOptional": true},
            {"name": "word", "type": "string", "isOptional": true}],
          "relationships": [{"name": "part", "destinationEntityName": "Thing", "inverseName": "wholes"},
            {"name": "wholes", "destinationEntityName": "Thing", "isToMany": true, "inverseName": "part"}]}]
        """

    private static let words = [
        "", "plain", "\"quoted\"", "back\\slash", "nul\0inside", "\0", "tab\tnew\nline", "é", "e\u{301}",
        "日本",
        "\u{1F600}", "t", "x", "i5", "n", "[", ",", "%@", "ÉCOLE", "'; DROP TABLE Thing",
    ]

    /// The values of an attribute: those that half of the rows have, and more that no row has.
    private static func values(_ attribute: String, count: Int) -> [StoredValue] {
        (0..<count).map { number in
            switch attribute {
            case "number": .integer(Int64(number) * 0x1_0000_0001 - 5)
            case "size", "made": .real(Double(number) / 3 - 1e-300)
            case "code": .blob((0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) })
            case "bytes": .blob(number == 0 ? [] : Array(String(number).utf8) + [0, 255])
            case "price": .text("\(number).\(number % 7 + 1)")
            default: .text(number < words.count ? words[number] : "word \(number)")
            }
        }
    }

    private static let attributes = ["number", "size", "made", "code", "bytes", "price", "word"]

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func makeContext(_ attribute: String) throws -> ManagedObjectContext {
        let container = try PersistentContainer(
            url: directory.file("things.sqlite"), model: ManagedObjectModel(jsonText: Self.json))
        let context = container.newContext()
        // Every other value is in the list; a row in nine has none.
        for (number, value) in Self.values(attribute, count: 90).enumerated() {
            let thing = try context.insert(entityNamed: "Thing")
            thing[attribute] = number % 9 == 8 ? .null : value
        }
        try context.save()
        return context
    }

    private func fetch(
        _ predicate: PredicateTree, _ context: ManagedObjectContext
    ) throws -> Set<ObjectID> {
        let request = FetchRequest<ManagedObject>(
            entityName: "Thing", predicate: FetchRequest<ManagedObject>.Predicate(predicate))
        let found = try context.fetch(request).map(\.objectID)
        #expect(try context.count(for: request) == found.count)
        return Set(found)
    }

    /// Lists that are short, that are long for SQLite, and that are longer than SQLite's largest number of
    /// parameters. The longest have the values that SQLite stores in different ways.
    private static let lists =
        attributes.flatMap { attribute in [3, 999, 1_000].map { (attribute, $0) } }
        + ["number", "bytes", "word"].map { ($0, 33_000) }

    @Test(arguments: lists)
    func `IN and its negation select the same rows for a list of any length`(
        attribute: String, count: Int
    ) throws {
        let context = try makeContext(attribute)
        let listed = Self.values(attribute, count: count * 2).enumerated().filter {
            $0.offset.isMultiple(of: 2)
        }
        .map(\.element)
        let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
        let known = Set(listed)
        let expected = try Set(
            all.filter { try known.contains($0.value(forProperty: attribute)) }.map(\.objectID))
        #expect(expected.count == min(count, 40))
        for hasNull in [false, true] {
            let elements = listed.map(PredicateExpression.value) + (hasNull ? [.constant(.null)] : [])
            let predicate = PredicateTree.comparison(.path(attribute), .isIn, .list(elements))
            let empty = try Set(
                all.filter { try $0.value(forProperty: attribute).isNull }.map(\.objectID))
            let rows = hasNull ? expected.union(empty) : expected
            #expect(try fetch(predicate, context) == rows)
            #expect(try fetch(.not(predicate), context) == Set(all.map(\.objectID)).subtracting(rows))
            guard count < 2_000 else { continue }
            // Unsaved objects are evaluated in memory.
            let condition = FetchRequest<ManagedObject>.Predicate(predicate)
            #expect(try Set(all.filter { try condition.evaluate(with: $0) }.map(\.objectID)) == rows)
        }
    }

    @Test(arguments: [999, 33_000]) func `a long list of texts is compared without case and marks`(
        count: Int
    ) throws {
        let context = try makeContext("word")
        let listed = (["ecole", "É", "PLAIN"] + (0..<count).map { "other \($0)" }).map {
            PredicateExpression.value(.text($0))
        }
        let predicate = PredicateTree.comparison(
            .path("word"), .isIn, .list(listed), options: [.ignoringCase, .ignoringDiacritics])
        let words = try context.fetch(
            FetchRequest<ManagedObject>(
                entityName: "Thing", predicate: FetchRequest<ManagedObject>.Predicate(predicate))
        ).map { try $0.value(forProperty: "word") }
        #expect(Set(words) == [.text("plain"), .text("é"), .text("ÉCOLE")] && words.count == 3)
    }

    @Test func `more than 32,000 constants are an error of every kind of request`() throws {
        let context = try makeContext("number")
        /// Returns a predicate that is true for numbers 0 to 89, with a given number of short lists.
        func predicate(_ count: Int) -> FetchRequest<ManagedObject>.Predicate {
            let lists = (0..<count).map { list in
                let numbers = (list * 800..<(list + 1) * 800).map {
                    PredicateExpression.value(.integer(Int64($0) * 0x1_0000_0001 - 5))
                }
                return PredicateTree.comparison(.path("number"), .isIn, .list(numbers))
            }
            return FetchRequest<ManagedObject>.Predicate(.or(lists))
        }
        func check(_ count: Int, _ body: (FetchRequest<ManagedObject>) throws -> Int) throws -> Int {
            try body(FetchRequest(entityName: "Thing", predicate: predicate(count)))
        }
        let kinds: [(FetchRequest<ManagedObject>) throws -> Int] = [
            { try context.fetch($0).count }, { try context.count(for: $0) },
            { try context.fetchIDs($0).count },
            { try context.fetchDictionaries($0, properties: ["number"]).count },
        ]
        for kind in kinds {
            #expect(try check(40, kind) == 80)
            let error = #expect(throws: ObjectStorageError.self) { try check(41, kind) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("has 32800 constants; up to 32000 are allowed") == true)
        }
    }

    @Test func `a long list of objects selects those that refer to them`() throws {
        let context = try makeContext("number")
        let things = try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
        for (number, thing) in things.enumerated() where number > 0 {
            try thing.setRelatedObject(things[number / 2], forRelationship: "part")
        }
        try context.save()
        let absent = (1_000..<41_000).map { ObjectID(entityName: "Thing", primaryKey: Int64($0)) }
        let listed = things.prefix(5).map(\.objectID) + absent
        let predicate = PredicateTree.comparison(
            .path("part"), .isIn, .list(listed.map(PredicateExpression.object)))
        #expect(try fetch(predicate, context) == Set(things[1..<10].map(\.objectID)))
    }

    @Test(arguments: [1, 2_000])
    func `integers are compared with doubles by their exact values in a list of any length`(count: Int) throws
    {
        let context = try makeContext("size")
        let thing = try context.insert(entityNamed: "Thing")
        thing["size"] = .real(0x1p53)
        try context.save()
        for (number, isFound) in [(0x20_0000_0000_0000, true), (0x20_0000_0000_0001, false)]
            as [(Int64, Bool)]
        {
            let elements = [number] + (0..<count).map { -1_000 - Int64($0) }
            let predicate = PredicateTree.comparison(
                .path("size"), .isIn, .list(elements.map { .value(.integer($0)) }))
            #expect(try fetch(predicate, context) == (isFound ? [thing.objectID] : []))
        }
    }

    /// Each expression has the number of the row, the number of another row, or a number of rows.
    @Test(arguments: [
        "number", "number + 1", "part.number", "ANY wholes.number", "wholes.@count", "wholes.@sum.number",
        "ALL wholes.number", "NONE wholes.number", "SUBQUERY(wholes, $w, $w.number > 0).@count",
    ])
    func `a long list selects what the same list in two halves does`(expression: String) throws {
        let context = try makeContext("size")
        let things = try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
        for (number, thing) in things.enumerated() {
            thing["number"] = .integer(Int64(number))
            if number > 0 { try thing.setRelatedObject(things[number / 2], forRelationship: "part") }
        }
        try context.save()
        func rows(_ numbers: [Int]) throws -> Set<ObjectID> {
            let request = FetchRequest<ManagedObject>(
                entityName: "Thing", predicate: try .init(format: "\(expression) IN %@", numbers))
            return Set(try context.fetch(request).map(\.objectID))
        }
        let listed = (0..<1_600).map { $0 * 2 }
        let long = try rows(listed)
        let condition = try FetchRequest<ManagedObject>.Predicate(format: "\(expression) IN %@", listed)
        #expect(try long == Set(things.filter { try condition.evaluate(with: $0) }.map(\.objectID)))
        #expect(!long.isEmpty && (long.count < things.count || expression.hasPrefix("NONE")))
        guard !expression.hasPrefix("ALL"), !expression.hasPrefix("NONE") else { return }
        #expect(try long == rows(Array(listed[..<800])).union(rows(Array(listed[800...]))))
    }
}
