import Foundation
import GRDB
import ObjectStorage
import Synchronization
import Testing

/// Counts the queries that a store answers.
final class QueryCounter: Sendable {
    private let count = Mutex(0)

    /// Returns an in-memory writer whose queries are counted.
    func makeWriter() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            database.trace { [weak self] event in
                if "\(event)".hasPrefix("SELECT") { self?.count.withLock { $0 += 1 } }
            }
        }
        return try DatabaseQueue(configuration: configuration)
    }

    /// Returns the number of queries that `body` makes.
    func queries(_ body: () throws -> Void) rethrows -> Int {
        let before = count.withLock { $0 }
        try body()
        return count.withLock { $0 } - before
    }
}

@Suite struct PrefetchingTests {
    let counter = QueryCounter()
    let container: PersistentContainer
    let context: ManagedObjectContext

    /// Creates a hundred works by ten authors.
    init() throws {
        container = try PersistentContainer(writer: try counter.makeWriter(), model: Library.model())
        let context = container.newContext()
        for number in 0..<10 {
            let author = Author(context: context)
            author.name = "\(number)"
            for index in 0..<10 {
                let work = Work(context: context)
                work.title = "\(number)-\(index)"
                work.author = author
            }
        }
        try context.save()
        self.context = container.newContext()
    }

    private let works = FetchRequest<Work>(sortDescriptors: [.ascending(\.title)])
    private let authors = FetchRequest<Author>(sortDescriptors: [.ascending(\.name)])

    @Test func `related objects are read by one statement, not by one for each object`() throws {
        let plain = try counter.queries {
            for work in try context.fetch(works) { _ = work.author?.name }
        }
        #expect(plain > 10)
        let other = container.newContext()
        let prefetching = try counter.queries {
            let names = try other.fetch(works.prefetching(\.author)).map { $0.author?.name }
            #expect(names.count == 100)
            #expect(names.first == "0" && names.last == "9")
        }
        #expect(prefetching == 2)
    }

    @Test func `prefetched to-many relationships are read from memory until something changes`() throws {
        let queries = try counter.queries {
            let fetched = try context.fetch(authors.prefetching(\.works))
            #expect(fetched.map(\.works.count) == Array(repeating: 10, count: 10))
            #expect(fetched[3].works.map(\.title).min() == "3-0")
        }
        #expect(queries == 2)
        let fetched = try context.fetch(authors.prefetching(\.works))
        let other = container.newContext()
        let moved = try #require(try other.fetch(works).first)
        moved.author = try other.fetch(authors).last
        try context.mergeChanges(from: try other.save())
        #expect(fetched[0].works.count == 9)
        #expect(fetched[9].works.count == 11)
    }

    @Test func `a key path continues from prefetched objects`() throws {
        let queries = try counter.queries {
            var request = works
            request.fetchLimit = 10
            request.relationshipKeyPathsForPrefetching = ["author", "author.works"]
            for work in try context.fetch(request) {
                #expect(work.author?.works.allSatisfy { $0.title.hasPrefix("0-") } == true)
            }
        }
        #expect(queries == 3)
    }

    @Test func `a list prefetches batch by batch`() throws {
        let list = try context.list(works.prefetching(\.author))
        let queries = counter.queries {
            for position in 0..<20 { #expect(list[position].author?.name == "\(position / 10)") }
        }
        // A batch of 20 rows by key, each a step of one statement, and one statement for the authors.
        #expect(queries <= 21)
        let more = counter.queries { _ = list[5].author?.name }
        #expect(more == 0)
    }

    @Test func `prefetched relationships include unsaved changes`() throws {
        let fetched = try context.fetch(authors.prefetching(\.works))
        let new = Work(context: context)
        new.author = fetched[0]
        let lost = try #require(fetched[1].works.first)
        lost.author = fetched[0]
        #expect(fetched[0].works.count == 12)
        #expect(fetched[1].works.count == 9)
        context.delete(lost)
        #expect(fetched[0].works.count == 11)
    }

    @Test func `merging clears relationships to prefetched rows that were deleted elsewhere`() throws {
        let fetched = try context.fetch(works.prefetching(\.author))
        let result = try container.newContext().batchDelete(
            FetchRequest<Author>(predicate: \.name == "0"), resultType: .objectIDs)
        #expect(fetched[0].author?.name == "0")
        try context.mergeChanges(from: result.changes)
        #expect(fetched[0].author == nil)
        #expect(fetched[0].readError == nil)
    }

    @Test func `a key path that does not consist of relationships is a typed error`() throws {
        var request = works
        request.relationshipKeyPathsForPrefetching = ["auther"]
        var error = #expect(throws: ObjectStorageError.self) { try context.fetch(request) }
        #expect(error?.code == .unknownProperty)
        request.relationshipKeyPathsForPrefetching = ["author.name"]
        error = #expect(throws: ObjectStorageError.self) { try context.list(request) }
        #expect(error?.code == .invalidKeyPath)
    }
}
