import Foundation
import GRDB
import SectionedFetch
import Testing

import struct SectionedFetch.FetchRequest

private typealias FetchRequest = SectionedFetch.FetchRequest

/// The listings of the article “Beside GRDB”.
@Suite struct BesideGRDBListings {
    final class Note: ManagedObject {
        @Attribute var text: String = ""
    }

    private let path = FileManager.default.temporaryDirectory.appending(
        path: "sectioned-fetch-\(UUID().uuidString).sqlite"
    ).path

    private func removeFiles() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Fetches with a request type that is qualified by its module.
    private func texts(_ request: SectionedFetch.FetchRequest<Note>, in context: ManagedObjectContext) throws
        -> [String]
    { try context.fetch(request).map(\.text) }

    @Test func `a container on an application's queue and the queue see each other's writes`() async throws {
        defer { removeFiles() }
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let container = try PersistentContainer(
            writer: queue, model: ManagedObjectModel(types: Note.self))
        let observation = ValueObservation.tracking { database in
            try String.fetchAll(database, sql: "SELECT text FROM Note ORDER BY text")
        }
        var values = observation.values(in: queue).makeAsyncIterator()
        #expect(try await values.next() == [])
        let context = container.newContext()
        Note(context: context).text = "ours"
        try context.save()
        #expect(try await values.next() == ["ours"])
        try await queue.write { try $0.execute(sql: "INSERT INTO Note (text) VALUES ('theirs')") }
        let request = SectionedFetch.FetchRequest<Note>(sortDescriptors: [.ascending(\.text)])
        #expect(try texts(request, in: context) == ["ours", "theirs"])
        #expect(try context.fetch(FetchRequest<Note>()).count == 2)
    }
}
