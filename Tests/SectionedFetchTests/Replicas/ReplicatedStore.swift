import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// A store of artworks and a replica of it. Each has its own directory of caches, and no container stays
/// open.
final class ReplicatedStore {
    let folder: URL
    let primary: Copy
    let replica: Copy
    let seed: UInt64
    var generator: SeededGenerator
    private static let departments = ["Drawings", "Film", "Prints", "Textiles"]

    /// A file with the store's contents, and a directory of caches.
    struct Copy {
        let store: URL
        let caches: URL
        /// The options of a program that reads this copy.
        var options = StoreOptions()

        /// Returns the rows of the list in their order, found by the `sqlite3` shell.
        func expectedRows() throws -> [String] {
            let sql = "SELECT department || '/' || title FROM Artwork ORDER BY department, title, objectID"
            return try ForeignProgram.run([sql], store: store).split(separator: "\n").map(String.init)
        }

        /// Returns the section of each row, found without a cache by counting.
        static func outline(of rows: [String]) -> [String] {
            var outline: [(name: Substring, count: Int)] = []
            for row in rows {
                let name = row.prefix { $0 != "/" }
                if outline.last?.name == name {
                    outline[outline.count - 1].count += 1
                } else {
                    outline.append((name, 1))
                }
            }
            return outline.map { "\($0.name):\($0.count)" }
        }

        func controller(in context: ManagedObjectContext) throws -> FetchedResultsController<Artwork> {
            try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(
                    sortDescriptors: [.ascending(\.department), .ascending(\.title)]),
                context: context, sectionNameKeyPath: "department", cacheName: "artworks",
                cacheStore: SectionCacheStore(directory: caches))
        }

        func container() throws -> PersistentContainer {
            try PersistentContainer(url: store, model: Catalogue.model(), options: options)
        }

        /// Fetches the list as after a restart, and compares its sections and rows with those of the store.
        @discardableResult
        func start(_ comment: Comment? = nil) throws -> CacheLookup? {
            let controller = try controller(in: container().newContext())
            try controller.performFetch()
            let expected = try expectedRows()
            #expect(controller.outline == Self.outline(of: expected), comment)
            #expect(controller.rows == expected, comment)
            controller.settle()
            return controller.cacheLookup
        }
    }

    init(_ test: String = #function, replicaOptions: StoreOptions = StoreOptions()) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        for name in ["primary", "replica"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        primary = Copy(
            store: folder.appending(path: "primary/store.sqlite"),
            caches: folder.appending(path: "primary/caches"))
        replica = Copy(
            store: folder.appending(path: "replica/store.sqlite"),
            caches: folder.appending(path: "replica/caches"), options: replicaOptions)
        seed = SeededGenerator.newSeed(test)
        generator = SeededGenerator(seed: seed)
        let context = try primary.container().newContext()
        for number in 0..<300 {
            let artwork = Artwork(context: context)
            artwork.department = Self.departments[number % 3]
            artwork.title = "title \(1_000 + number)"
        }
        try context.save()
        #expect(try primary.start()?.isHit == false)
        #expect(try primary.start()?.isHit == true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Gives the replica a copy of the primary's caches.
    func copyCaches() throws {
        try? FileManager.default.removeItem(at: replica.caches)
        try FileManager.default.copyItem(at: primary.caches, to: replica.caches)
    }

    /// Changes rows of the primary up to twice, and perhaps starts a program there, which stamps what the
    /// shell wrote.
    ///
    /// - Returns: Whether a program was started.
    func editAtRandom(_ comment: Comment) throws -> Bool {
        for _ in 0..<Int.random(in: 0..<3, using: &generator) { try edit() }
        guard Bool.random(using: &generator) else { return false }
        try primary.start(comment)
        return true
    }

    /// Copies the caches of the primary, or leaves those of the replica.
    ///
    /// - Returns: Whether they were copied.
    func copyCachesAtRandom() throws -> Bool {
        guard Bool.random(using: &generator) else { return false }
        try copyCaches()
        return true
    }

    /// Changes the title of each fiftieth row of the primary with the `sqlite3` shell.
    func changeTitles(inRound round: Int) throws {
        try ForeignProgram.run(
            ["UPDATE Artwork SET title = 'title 9\(100 + round)' WHERE objectID % 50 = \(round)"],
            store: primary.store)
    }

    /// Changes rows of the primary, with the library or with the `sqlite3` shell.
    func edit(withLibrary: Bool? = nil) throws {
        let department = Self.departments.randomElement(using: &generator) ?? ""
        let title = "title \(Int.random(in: 2_000..<10_000, using: &generator))"
        let key = Int.random(in: 1...300, using: &generator)
        guard withLibrary ?? Bool.random(using: &generator) else {
            let sql = [
                "UPDATE Artwork SET title = '\(title)' WHERE objectID = \(key)",
                "UPDATE Artwork SET department = '\(department)' WHERE objectID % 50 = \(key % 50)",
                "DELETE FROM Artwork WHERE objectID = \(key)",
                "INSERT INTO Artwork (title, department) VALUES ('\(title)', '\(department)')",
            ].randomElement(using: &generator)
            try ForeignProgram.run([sql ?? ""], store: primary.store)
            return
        }
        let context = try primary.container().newContext()
        let artworks = try context.fetch(FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title)]))
        let artwork = artworks[key % artworks.count]
        if Bool.random(using: &generator) { artwork.title = title } else { artwork.department = department }
        try context.save()
    }
}

extension FetchedResultsController<Artwork> {
    /// The section and the title of each row.
    var rows: [String] {
        sections?.flatMap { section in section.objects.map { "\(section.name)/\($0.title ?? "")" } } ?? []
    }
}
