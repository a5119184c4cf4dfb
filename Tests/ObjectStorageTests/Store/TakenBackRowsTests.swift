import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Parts of a transaction that a batch writer rolls back after a failure.
@Suite struct TakenBackRowsTests {
    private struct Interrupted: Error {}

    private let directory: TemporaryDirectory
    private let container: PersistentContainer

    init() throws {
        directory = try TemporaryDirectory()
        let list = EntityDescription(
            name: "List", attributes: [AttributeDescription(name: "name", type: .string)],
            relationships: [.toMany("entries", to: "Entry", inverse: "list", allowedCount: 1...2)])
        let entry = EntityDescription(
            name: "Entry", attributes: [AttributeDescription(name: "name", type: .string)],
            relationships: [.toOne("list", to: "List", inverse: "entries")])
        container = try PersistentContainer(
            url: directory.file("lists"), model: ManagedObjectModel(entities: [list, entry]))
    }

    /// Inserts a list with some entries.
    private func insert(_ name: String, entries: Int, _ writer: BatchWriter) throws {
        let key = try writer.table("List").insert([.text(name)])
        let table = try writer.table("Entry")
        for number in 0..<entries { _ = try table.insert([.text("\(name) \(number)"), .integer(key)]) }
    }

    private func names(_ entity: String) throws -> [String] {
        let request = FetchRequest<ManagedObject>(
            entityName: entity, predicate: nil, sortDescriptors: [.ascending("name")])
        return try container.newContext().fetch(request).compactMap {
            if case .text(let name) = try $0.value(forProperty: "name") { name } else { nil }
        }
    }

    /// Writes a list as a part, and returns the error that ends the part.
    private func failure(
        _ name: String, entries: Int, isInterrupted: Bool = false, _ writer: BatchWriter
    ) -> (any Error)? {
        do {
            try writer.takingBackFailures {
                try insert(name, entries: entries, writer)
                if isInterrupted { throw Interrupted() }
            }
            return nil
        } catch {
            return error
        }
    }

    private func writeParts(_ writer: BatchWriter) {
        #expect(failure("a", entries: 1, writer) == nil)
        #expect(failure("b", entries: 0, isInterrupted: true, writer) is Interrupted)
        #expect(failure("c", entries: 0, writer) is ObjectStorageError)
        #expect(failure("d", entries: 3, writer) is ObjectStorageError)
        #expect(failure("e", entries: 2, writer) == nil)
    }

    @Test func `a part that fails or breaks a rule is rolled back alone`() throws {
        try container.write(writeParts)
        #expect(try names("List") == ["a", "e"])
        #expect(try names("Entry") == ["a 0", "e 0", "e 1"])
    }

    /// Writes a list without an entry, and then a part that fails.
    private func writeBeforeFailure(_ writer: BatchWriter) throws {
        try insert("a", entries: 0, writer)
        #expect(failure("b", entries: 1, isInterrupted: true, writer) is Interrupted)
    }

    @Test func `rows that were written before a part are checked at the end`() throws {
        #expect(throws: ObjectStorageError.self) { try container.write(writeBeforeFailure) }
        #expect(try names("List").isEmpty)
    }
}
