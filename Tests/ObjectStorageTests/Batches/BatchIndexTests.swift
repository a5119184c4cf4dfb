import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

/// A batch into an empty table can create its indexes at the end.
@Suite struct BatchIndexTests {
    private let directory: TemporaryDirectory
    private let store: URL

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.url.appending(path: "songs.store")
    }

    /// - Parameter isIndexed: Whether an attribute declares an index. Relationships have one in any case.
    private static func model(isIndexed: Bool = true) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Song",
                attributes: [
                    AttributeDescription(name: "id", type: .integer64, isUnique: true),
                    AttributeDescription(name: "title", type: .string, isIndexed: isIndexed),
                ], relationships: [.toOne("artist", to: "Artist", inverse: "songs")]),
            EntityDescription(
                name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
                relationships: [.toMany("songs", to: "Song", inverse: "artist")]),
        ])
    }

    /// Returns the names of the indexes of songs in the file.
    private func indexes() throws -> [String] {
        try DatabaseQueue(path: store.path).read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'Song' ORDER BY name
                    """)
        }
    }

    private func container(isIndexed: Bool = true) throws -> PersistentContainer {
        try PersistentContainer(url: store, model: Self.model(isIndexed: isIndexed))
    }

    private static func insertSongs(_ writer: BatchWriter, _ numbers: Range<Int>) throws {
        let songs = try writer.table("Song")
        for number in numbers {
            _ = try songs.insert([.integer(Int64(number)), .text("Title \(number)"), .null])
        }
    }

    private static let all = ["sc_Song_artist", "sc_Song_id", "sc_Song_title"]

    @Test func `only the unique index exists until the indexes are complete`() throws {
        let container = try container()
        #expect(try indexes() == Self.all)
        try container.write { writer in
            let isDeferred = try writer.deferIndexes(ofEntityNamed: "Song")
            #expect(isDeferred)
            try Self.insertSongs(writer, 0..<100)
        }
        #expect(try indexes() == ["sc_Song_id"])
        try container.write { writer in
            try Self.insertSongs(writer, 100..<200)
            try writer.completeIndexes()
        }
        #expect(try indexes() == Self.all)
        let request = FetchRequest<ManagedObject>(entityName: "Song")
        #expect(try container.newContext().count(for: request) == 200)
    }

    @Test func `a table with rows keeps its indexes`() throws {
        let container = try container()
        try container.write { try Self.insertSongs($0, 0..<1) }
        let isDeferred = try container.write { try $0.deferIndexes(ofEntityNamed: "Song") }
        #expect(!isDeferred)
        #expect(try indexes() == Self.all)
    }

    @Test func `a batch that fails keeps the indexes`() throws {
        struct Failure: Error {}
        let container = try container()
        #expect(throws: Failure.self) {
            try container.write { writer in
                _ = try writer.deferIndexes(ofEntityNamed: "Song")
                throw Failure()
            }
        }
        #expect(try indexes() == Self.all)
    }

    /// As after the end of the program by a signal.
    @Test(arguments: [true, false])
    func `the next program that opens the store with the model creates missing indexes`(
        isIndexed: Bool
    ) throws {
        let all = Self.all.filter { isIndexed || $0 != "sc_Song_title" }
        do {
            let container = try container(isIndexed: isIndexed)
            try container.write { writer in
                _ = try writer.deferIndexes(ofEntityNamed: "Song")
                try Self.insertSongs(writer, 0..<10)
            }
        }
        #expect(try indexes() == ["sc_Song_id"])
        let request = FetchRequest<ManagedObject>(entityName: "Song")
        #expect(try container(isIndexed: isIndexed).newContext().count(for: request) == 10)
        #expect(try indexes() == all)
        #expect(try container(isIndexed: isIndexed).newContext().count(for: request) == 10)
    }
}
