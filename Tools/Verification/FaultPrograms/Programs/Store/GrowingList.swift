import Foundation
import GRDB
import SectionedFetch

/// A store whose list grows by numbered rows, so that the number of rows determines the rows of the list.
///
/// Row *n* is in section *n* mod 4, and within a section the newest row comes first.
struct GrowingList {
    let url: URL
    let cacheFolder: URL

    private static let sectionCount = 4

    /// Creates a value for an existing list.
    init(at url: URL, caches cacheFolder: URL) {
        self.url = url
        self.cacheFolder = cacheFolder
    }

    /// Creates a list in a separate folder.
    static func make(in folder: URL, rows count: Int) throws -> GrowingList {
        let directory = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let list = GrowingList(
            at: directory.appending(path: "list.db"), caches: directory.appending(path: "caches"))
        _ = try list.container()
        try list.grow(by: count)
        return list
    }

    /// Returns the keys of each section of a list with `count` rows.
    static func keys(rows count: Int) -> [[Int64]] {
        (0..<sectionCount).map { section in
            (1...max(1, Int64(count))).reversed().filter { $0 <= count && Int($0) % sectionCount == section }
        }
    }

    /// Inserts rows in one transaction, as a program without this library does.
    func grow(by count: Int) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        try DatabaseQueue(path: url.path, configuration: configuration).write { database in
            try database.execute(sql: Self.growth(by: count))
        }
    }

    /// Returns the statement that inserts rows.
    static func growth(by count: Int) -> String {
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO Song (part, place)
        SELECT (last + i) % \(sectionCount), -(last + i)
        FROM n, (SELECT coalesce(max(rowid), 0) AS last FROM Song)
        """
    }

    /// Opens the store, as a start of a program does.
    func container() throws -> PersistentContainer {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Song",
                attributes: [
                    AttributeDescription(name: "part", type: .integer64),
                    AttributeDescription(name: "place", type: .integer64),
                    AttributeDescription(name: "plays", type: .integer64),
                ])
        ])
        return try PersistentContainer(url: url, model: model, options: StoreOptions(busyTimeout: 30))
    }

    /// Returns a new cache store, as a separate program creates it.
    func caches() -> SectionCacheStore { SectionCacheStore(directory: cacheFolder) }

    /// Returns a controller of the list.
    ///
    /// - Parameter plays: A number that makes the request differ from others; 0 for the request of the list
    ///   itself.
    func controller(
        in context: ManagedObjectContext, caches: SectionCacheStore, plays: Int = 0
    ) throws -> FetchedResultsController<ManagedObject> {
        var request = FetchRequest<ManagedObject>(
            entityName: "Song", sortDescriptors: [.ascending("part"), .ascending("place")])
        if plays > 0 { request.predicate = try .init(format: "plays == \(plays)") }
        return try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "part", cacheName: "songs",
            cacheStore: caches)
    }
}
