import Foundation
import GRDB
import SectionedFetch

/// A store of parts for one history, with the connection of a program that does not use the library. The
/// files are deleted at the end.
final class Warehouse {
    let url: URL
    let schema: WarehouseSchema
    let container: PersistentContainer
    let caches: SectionCacheStore
    /// The store for entries that are computed anew, to compare the others with.
    let rebuiltCaches: SectionCacheStore
    /// The other program's connection.
    let foreign: DatabaseQueue

    init(_ origin: WarehouseSchema.Origin) throws {
        schema = WarehouseSchema(origin: origin)
        url = FileManager.default.temporaryDirectory.appending(path: "change-replay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let store = url.appending(path: "store.sqlite")
        if !schema.isOurs {
            try DatabaseQueue(path: store.path).write { try $0.execute(sql: WarehouseSchema.existingTables) }
        }
        container = try Self.open(store, schema)
        // Another thread may be reading a snapshot. Writers of an existing file without a write-ahead log
        // wait for it.
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        foreign = try DatabaseQueue(path: store.path, configuration: configuration)
        caches = SectionCacheStore(directory: url.appending(path: "caches"))
        rebuiltCaches = SectionCacheStore(directory: url.appending(path: "rebuilt"))
    }

    deinit {
        caches.waitForWrites()
        rebuiltCaches.waitForWrites()
        // A directory that cannot be deleted is no reason to end the other histories.
        try? FileManager.default.removeItem(at: url)
    }

    static func open(
        _ store: URL, _ schema: WarehouseSchema, isReadOnly: Bool = false
    ) throws -> PersistentContainer {
        try PersistentContainer(
            url: store, model: schema.model(),
            options: StoreOptions(
                isReadOnly: isReadOnly, existingTables: schema.origin == .untracked ? .untracked : .tracked))
    }

    /// Returns a read-only container of the same store.
    func reader() throws -> PersistentContainer {
        try Self.open(url.appending(path: "store.sqlite"), schema, isReadOnly: true)
    }

    /// Limits the log to fewer changes of a table and epoch than usual, so that a few rows are more than it
    /// records.
    func limitLog(to capacity: Int) throws {
        try foreign.write {
            try $0.execute(
                sql: "UPDATE sc_gen SET capacity = ?1, room = min(room, ?1) WHERE capacity > 0",
                arguments: [capacity])
        }
    }

    /// Reads all committed rows by SQL alone.
    func committed() throws -> Inventory {
        var inventory = Inventory()
        let kind = schema.isOurs ? "\".entity\"" : "'Part'"
        let key = schema.key
        try foreign.read { database in
            let sql =
                "SELECT \(key), \(kind), shelf, name, code, lot, rank, price, made, note\(schema.isOurs ? ", power" : "") FROM \(schema.parts)"
            let parts = try Row.fetchCursor(try database.cachedStatement(sql: sql))
            while let row = try parts.next() {
                let id = ObjectID(entityName: "Part", primaryKey: row[0])
                inventory.parts[id] = Record(
                    id: id, kind: row[1], values: (3..<row.count).map { StoredValue(row, $0) },
                    target: (row[2] as Int64?).map { ObjectID(entityName: "Shelf", primaryKey: $0) })
            }
            for (table, entity) in [(schema.shelves, "Shelf"), (schema.halls, "Hall")] {
                let target = entity == "Shelf" ? "hall" : "NULL"
                let rows = try Row.fetchCursor(
                    try database.cachedStatement(sql: "SELECT \(key), \(target), name, note FROM \(table)"))
                while let row = try rows.next() {
                    let id = ObjectID(entityName: entity, primaryKey: row[0])
                    let record = Record(
                        id: id, kind: entity, values: [StoredValue(row, 2), StoredValue(row, 3)],
                        target: (row[1] as Int64?).map { ObjectID(entityName: "Hall", primaryKey: $0) })
                    if entity == "Shelf" {
                        inventory.shelves[id] = record
                    } else {
                        inventory.halls[id] = record
                    }
                }
            }
            let links = try Row.fetchCursor(
                try database.cachedStatement(
                    sql: """
                        SELECT \(schema.linkedPart), word FROM \(schema.links)
                        JOIN \(schema.tags) ON \(schema.tags).\(key) = \(schema.linkedTag)
                        """))
            while let row = try links.next() {
                inventory.words[ObjectID(entityName: "Part", primaryKey: row[0]), default: []].insert(row[1])
            }
        }
        return inventory
    }
}

extension StoredValue {
    fileprivate init(_ row: Row, _ column: Int) {
        switch row[column] as DatabaseValue {
        case let value:
            switch value.storage {
            case .null: self = .null
            case .int64(let number): self = .integer(number)
            case .double(let number): self = .real(number)
            case .string(let text): self = .text(text)
            case .blob(let data): self = .blob(Array(data))
            }
        }
    }
}
