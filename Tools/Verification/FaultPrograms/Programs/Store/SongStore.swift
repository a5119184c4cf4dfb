import Foundation
import GRDB
import SectionedFetch
import CheckSupport

/// A small store of songs, a folder of caches, and the connection of another program, which writes to the
/// store and reads the oracle's rows.
final class SongStore {
    let tables: SongTables
    let url: URL
    let cacheFolder: URL
    /// The other program's connection, which opens at its first use.
    private var opened: DatabaseQueue?

    /// Creates a value for an existing store.
    init(_ tables: SongTables, at url: URL, caches cacheFolder: URL) {
        self.tables = tables
        self.url = url
        self.cacheFolder = cacheFolder
    }

    /// Creates a store with songs in a separate folder.
    static func make(
        _ tables: SongTables, in folder: URL, songs count: Int = 40, using generator: inout SeededGenerator
    ) throws -> SongStore {
        let directory = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = SongStore(
            tables, at: directory.appending(path: "songs.db"), caches: directory.appending(path: "caches"))
        if tables.isExisting { try store.write("PRAGMA journal_mode = WAL; \(SongTables.existingSchema)") }
        _ = try store.container()
        try store.write(SongWrite.first(tables, songs: count, using: &generator))
        guard try store.oracle().rows.count > count / 2 else {
            throw FaultFinding("a new store has no songs")
        }
        return store
    }

    /// Returns the other program's connection.
    func other() throws -> DatabaseQueue {
        if let opened { return opened }
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: url.path, configuration: configuration)
        opened = queue
        return queue
    }

    /// Copies the files to the location of another store. No connection to either may be open.
    func copyFiles(to copy: SongStore) throws {
        try closeOther()
        try copy.closeOther()
        for suffix in ["", "-wal", "-shm"] {
            let (source, target) = (url.path + suffix, copy.url.path + suffix)
            if FileManager.default.fileExists(atPath: target) {
                try FileManager.default.removeItem(atPath: target)
            }
            if FileManager.default.fileExists(atPath: source) {
                try FileManager.default.copyItem(atPath: source, toPath: target)
            }
        }
    }

    /// Closes the other program's connection.
    func closeOther() throws {
        try opened?.close()
        opened = nil
    }

    /// Opens the store, as a start of a program does.
    func container() throws -> PersistentContainer {
        try PersistentContainer(
            url: url, model: tables.model(),
            options: StoreOptions(busyTimeout: 10, existingTables: tables.isExisting ? .tracked : nil))
    }

    /// Returns a new cache store, as a start of a program creates it.
    func caches() -> SectionCacheStore { SectionCacheStore(directory: cacheFolder) }

    /// Returns the oracle for the current rows.
    func oracle() throws -> SongOracle {
        try other().unsafeRead { try SongOracle(self.tables, in: $0) }
    }

    /// Runs statements as another program. A statement that violates a constraint has no effect.
    func write(_ sql: String) throws {
        try other().writeWithoutTransaction { database in
            do {
                try database.execute(sql: sql)
            } catch let error as DatabaseError {
                if database.isInsideTransaction { try database.rollback() }
                guard error.resultCode == .SQLITE_CONSTRAINT else { throw error }
            }
        }
    }
}

extension SongStore {
    /// Fetches a list, as a start of a program does, and compares it with the oracle.
    ///
    /// - Parameters:
    ///   - container: The opened store, for a program that has run for a while.
    ///   - mustHit: Whether the look-up must be a hit.
    ///   - words: A description of the preceding changes, for the message of a finding.
    @discardableResult
    func start(
        _ list: SongList, in container: PersistentContainer? = nil, mustHit: Bool = false,
        after words: @autoclosure () -> String
    ) throws -> FaultOutcome {
        let container = try container ?? self.container()
        let controller = try controller(of: list, in: container)
        try controller.performFetch()
        let found = Self.sections(of: controller)
        let expected = try oracle().sections(of: list)
        let lookup = controller.cacheLookup.map { "\($0)" } ?? "no look-up"
        guard found == expected else {
            throw FaultFinding(
                "after \(words()): the list \(list) shows \(Self.difference(found, expected)) (\(lookup))"
            )
        }
        guard controller.cacheStore.waitForWrites(upTo: 30) else {
            throw FaultFinding("after \(words()): a save to the cache does not end")
        }
        if mustHit, controller.cacheLookup?.isHit != true {
            throw FaultFinding(
                "after \(words()): the list \(list) is in the cache, but the look-up misses (\(lookup))")
        }
        return Self.outcome(controller.cacheLookup)
    }

    /// Returns a controller of a list with its cache.
    func controller(
        of list: SongList, in container: PersistentContainer, context: ManagedObjectContext? = nil
    ) throws -> FetchedResultsController<ManagedObject> {
        try FetchedResultsController(
            fetchRequest: list.request, context: context ?? container.newContext(),
            sectionNameKeyPath: list.sectionKey, cacheName: list.cacheName, cacheStore: caches())
    }

    static func sections(
        of controller: FetchedResultsController<ManagedObject>
    ) -> [SongOracle.Section] {
        let objects = controller.fetchedObjects
        return (controller.sections ?? nil)?.map { section in
            SongOracle.Section(
                identity: section.identity, name: section.name,
                keys: section.rows.map { objects?[$0].objectID.primaryKey ?? -1 })
        } ?? []
    }

    static func outcome(_ lookup: CacheLookup?) -> FaultOutcome {
        switch lookup {
        case .hit, .advanced: .right
        case .miss(.off), nil: .off
        case .miss: .missed
        }
    }

    /// Describes the found and the right sections, beginning with the first one that differs.
    static func difference(_ found: [SongOracle.Section], _ expected: [SongOracle.Section]) -> String {
        let position = zip(found, expected).prefix { $0 == $1 }.count
        return
            "\(outline(found.dropFirst(position).prefix(3))) and not \(outline(expected.dropFirst(position).prefix(3))) from section \(position) on"
    }

    private static func outline(_ sections: some Sequence<SongOracle.Section>) -> String {
        sections.map { "\($0.name.debugDescription) (\($0.identity)): \($0.keys)" }.joined(separator: ", ")
    }
}
