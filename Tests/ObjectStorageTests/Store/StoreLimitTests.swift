import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// The limits of one statement on a store.
@Suite struct StoreLimitTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private static let numberOfWorks = 40

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("library.sqlite")
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Work",
                attributes: [AttributeDescription(name: "title", type: .string, isOptional: true)])
        ])
        try PersistentContainer(url: url, model: model).write { writer in
            let works = try writer.table("Work")
            for number in 0..<Self.numberOfWorks { _ = try works.insert([.text("Work \(number)")]) }
        }
    }

    /// One step of SQLite's virtual machine that takes minutes.
    private static let longStep =
        "replace(printf('%.4000000c', 'a'), printf('%.2000000c', 'a') || 'b', '')"
    /// Many steps of milliseconds each.
    private static let manySteps = (0..<400).map { "length(hex(zeroblob(1000000 + objectID + \($0))))" }
        .joined(separator: " + ")
    /// A query that does not end.
    private static let endless =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    private func change(_ text: String, to other: String) throws {
        func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
        try Library.runElsewhere(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, \(literal(text)), \(literal(other))) WHERE name = 'Work'",
            path: url.path)
    }

    private func compute(_ expression: String) throws {
        try change("\"title\" TEXT", to: "\"title\" TEXT GENERATED ALWAYS AS (\(expression)) VIRTUAL")
    }

    private func works(
        _ limits: StoreLimits?, isUntrusted: Bool = false
    ) throws -> [String?] {
        let container = try PersistentContainer(
            url: url, options: StoreOptions(isUntrusted: isUntrusted, limits: limits))
        let request = FetchRequest<ManagedObject>(
            entityName: "Work", sortDescriptors: [.ascending("objectID")])
        return try container.newContext().fetch(request).map { work in
            if case .text(let title) = try work.value(forProperty: "title") { title } else { nil }
        }
    }

    private func expectExceeded(
        _ limit: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let error = #expect(throws: ObjectStorageError.self, sourceLocation: sourceLocation, performing: body)
        #expect(error?.code == .limitExceeded, sourceLocation: sourceLocation)
        #expect(
            error?.message.contains("(\(limit))") == true, "\(error?.message ?? "")",
            sourceLocation: sourceLocation)
    }

    @Test func `a sound store is read under the standard limits as without limits`() throws {
        let titles = (0..<Self.numberOfWorks).map { "Work \($0)" }
        #expect(try works(nil) == titles)
        #expect(try works(StoreLimits()) == titles)
        #expect(try works(nil, isUntrusted: true) == titles)
    }

    @Test func `the check of an untrusted file does not evaluate constraints`() throws {
        try change("objectID INTEGER", to: "objectID INTEGER CHECK (\(Self.longStep) IS NOT NULL)")
        #expect(try works(nil, isUntrusted: true).count == Self.numberOfWorks)
    }

    @Test func `a column that takes too many steps is an error, in a check and in a fetch`() throws {
        try compute(Self.manySteps)
        expectExceeded("statementSeconds") { _ = try works(StoreLimits(statementSeconds: 0.2)) }
        expectExceeded("statementSeconds") {
            _ = try works(StoreLimits(statementSeconds: 0.2), isUntrusted: true)
        }
    }

    @Test func `a save whose trigger does not end is rolled back, and the store stays usable`() throws {
        try Library.runElsewhere(
            "CREATE TABLE junk (number); CREATE TRIGGER a AFTER INSERT ON Work BEGIN INSERT INTO junk \(Self.endless); END",
            path: url.path)
        let container = try PersistentContainer(
            url: url, options: StoreOptions(limits: StoreLimits(statementSeconds: 0.2)))
        for _ in 0..<2 {
            expectExceeded("statementSeconds") {
                try container.write { _ = try $0.table("Work").insert([.text("new")]) }
            }
        }
        #expect(try works(StoreLimits()).count == Self.numberOfWorks)
        let request = FetchRequest<ManagedObject>(entityName: "Work")
        #expect(try container.newContext().count(for: request) == Self.numberOfWorks)
    }

    @Test func `the time limit applies to each statement, not to their sum`() throws {
        let part = (0..<20).map { "length(hex(zeroblob(200000 + objectID + \($0))))" }.joined(
            separator: " + ")
        try compute(part)
        let container = try PersistentContainer(
            url: url, options: StoreOptions(limits: StoreLimits(statementSeconds: 1)))
        let request = FetchRequest<ManagedObject>(entityName: "Work")
        let start = clock()
        // Processor time: all statements together use twice the limit of one statement.
        while clock() - start < 2 * CLOCKS_PER_SEC {
            let context = container.newContext()
            #expect(try context.fetch(request).count == Self.numberOfWorks)
        }
    }

    @Test func `a value that is too long is an error that names the limit`() throws {
        try Library.runElsewhere(
            "UPDATE Work SET title = printf('%.100000c', 'x') WHERE objectID = 3", path: url.path)
        expectExceeded("valueByteCount") { _ = try works(StoreLimits(valueByteCount: 50_000)) }
        #expect(try works(StoreLimits(valueByteCount: 200_000))[2]?.utf8.count == 100_000)
        #expect(try works(nil)[2]?.utf8.count == 100_000)
    }

    @Test func `the length limit also applies to values that a column computes`() throws {
        try compute("hex(zeroblob(40000))")
        expectExceeded("valueByteCount") { _ = try works(StoreLimits(valueByteCount: 50_000)) }
    }

    @Test func `rows that together have too many bytes are an error`() throws {
        try compute("printf('%.100000c', 'x')")
        expectExceeded("statementByteCount") {
            _ = try works(StoreLimits(statementByteCount: 1_000_000))
        }
        #expect(try works(StoreLimits(statementByteCount: 10_000_000)).count == Self.numberOfWorks)
    }

    @Test func `each connection of a pool has the limits`() throws {
        try compute(Self.manySteps)
        let container = try PersistentContainer(
            url: url,
            options: StoreOptions(connections: .pool, limits: StoreLimits(statementSeconds: 0.2)))
        for _ in 0..<3 {
            expectExceeded("statementSeconds") {
                let request = FetchRequest<ManagedObject>(
                    entityName: "Work", sortDescriptors: [.ascending("title")])
                _ = try container.newContext().fetch(request).map { try $0.value(forProperty: "title") }
            }
        }
    }
}
