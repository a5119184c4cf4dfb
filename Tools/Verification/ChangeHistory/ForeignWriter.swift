import Foundation
import GRDB
import SectionedFetch
import CheckSupport

/// Another program, which writes to the store by SQL alone.
struct ForeignWriter {
    let warehouse: Warehouse
    let plan: HistoryPlan
    /// The objects that a context is about to change, which this program does not write.
    var avoided: Set<ObjectID> = []
    /// The written rows, one element for each statement.
    private(set) var written: [ObjectID] = []
    /// The rows that were displaced or deleted and inserted again.
    private(set) var rewritten: Set<ObjectID> = []

    init(_ warehouse: Warehouse, _ plan: HistoryPlan, avoiding avoided: Set<ObjectID>) {
        self.warehouse = warehouse
        self.plan = plan
        self.avoided = avoided
    }

    private var schema: WarehouseSchema { warehouse.schema }

    /// Runs one transaction of a number of random statements, and commits it or rolls it back.
    mutating func run(_ count: Int, _ generator: inout SeededGenerator) throws {
        let inventory = try warehouse.committed()
        var parts = inventory.savedParts.filter { !avoided.contains($0) }
        var shelves = inventory.savedShelves.filter { !avoided.contains($0) }
        let isUndone = generator.once(in: 8)
        try warehouse.foreign.inDatabase { database in
            try database.executeCached(sql: "BEGIN IMMEDIATE")
            do {
                for _ in 0..<count {
                    try statement(&parts, &shelves, inventory.savedHalls, database, &generator)
                }
                try database.executeCached(sql: isUndone ? "ROLLBACK" : "COMMIT")
            } catch {
                try database.executeCached(sql: "ROLLBACK")
                throw error
            }
        }
    }

    private mutating func statement(
        _ parts: inout [ObjectID], _ shelves: inout [ObjectID], _ halls: [ObjectID], _ database: Database,
        _ generator: inout SeededGenerator
    ) throws {
        let key = schema.key
        guard !parts.isEmpty else { return try insert(&parts, shelves, database, &generator) }
        let index = Int.random(in: 0..<parts.count, using: &generator)
        let part = parts[index]
        let number = part.primaryKey ?? 0
        // Rows with the same unique value could not be saved by a context that is about to change one of
        // them.
        let isFree = avoided.isEmpty
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...2 where parts.count < plan.numberOfParts, 0:
            try insert(&parts, shelves, database, &generator)
        case 1...4:
            parts.remove(at: index)
            written.append(part)
            try database.executeCached(
                sql: "DELETE FROM \(schema.parts) WHERE \(key) = ?", arguments: [number])
        case 5...11:
            let field = generator.one(of: WarehouseSchema.Field.allCases)
            written.append(part)
            try database.executeCached(
                sql: "UPDATE \(schema.parts) SET \(field.attribute) = ? WHERE \(key) = ?",
                arguments: [plan.value(of: field, &generator).databaseValue, number])
        case 12:
            let low = generator.number(below: 50)
            let rows = try Int64.fetchAll(
                database.cachedStatement(
                    sql: "SELECT \(key) FROM \(schema.parts) WHERE rank BETWEEN ? AND ?"),
                arguments: [low, low + 5])
            let free = rows.map { ObjectID(entityName: "Part", primaryKey: $0) }.filter {
                !avoided.contains($0)
            }
            written += free
            for row in free {
                try database.executeCached(
                    sql: "UPDATE \(schema.parts) SET rank = rank + 1, lot = lot WHERE \(key) = ?",
                    arguments: [row.primaryKey])
            }
        case 13 where isFree:
            // Another row of the same entity replaces the row with that key: an object cannot change its
            // entity.
            guard try !isMachine(number, database) else { return }
            rewritten.insert(part)
            try write(
                "INSERT OR REPLACE", key: number, code: plan.value(of: .code, &generator), shelves, database,
                &generator)
        case 14 where isFree:
            try displace(parts, part, database, &generator) { writer, code, generator in
                let new = try writer.newKey(database)
                try writer.write("REPLACE", key: new, code: code, shelves, database, &generator)
                return ObjectID(entityName: "Part", primaryKey: new)
            }
            parts = try existing(database)
        case 15 where isFree:
            try displace(parts, part, database, &generator) { writer, code, _ in
                try database.executeCached(
                    sql: "UPDATE OR REPLACE \(writer.schema.parts) SET code = ? WHERE \(key) = ?",
                    arguments: [code.databaseValue, number])
                return part
            }
            parts = try existing(database)
        case 16:
            written.append(part)
            try database.executeCached(
                sql: """
                    INSERT INTO \(schema.parts) (\(key), rank, note) VALUES (?, 1, 1)
                    ON CONFLICT (\(key)) DO UPDATE SET note = note + 1
                    """, arguments: [number])
        case 17 where isFree:
            let links = try Int.fetchOne(
                database.cachedStatement(
                    sql: "SELECT count(*) FROM \(schema.links) WHERE \(schema.linkedPart) = ?"),
                arguments: [number])
            guard links == 0 else { return }
            let new = try newKey(database)
            written.append(part)
            try database.executeCached(
                sql: "UPDATE \(schema.parts) SET \(key) = ? WHERE \(key) = ?", arguments: [new, number])
            // SQLite's sequence takes account of inserted keys alone, and would give this one again to a row
            // of another entity.
            if schema.isOurs {
                try database.executeCached(
                    sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'Part'", arguments: [new])
            }
            parts[index] = ObjectID(entityName: "Part", primaryKey: new)
        case 18:
            // Two updates that cancel each other, and one without effect.
            rewritten.insert(part)
            for delta in [1, -1, 0] {
                try database.executeCached(
                    sql: "UPDATE \(schema.parts) SET note = note + ? WHERE \(key) = ?",
                    arguments: [delta, number])
            }
        case 19:
            written.append(part)
            try database.executeCached(
                sql: "UPDATE \(schema.parts) SET note = note WHERE \(key) = ?", arguments: [number])
        case 20 where !shelves.isEmpty:
            written.append(part)
            try database.executeCached(
                sql: "UPDATE \(schema.parts) SET shelf = ? WHERE \(key) = ?",
                arguments: [generator.one(of: shelves).primaryKey, number])
        case 21 where !shelves.isEmpty:
            let shelf = generator.one(of: shelves)
            if try changeShelf(shelf, halls, database, &generator) { shelves.removeAll { $0 == shelf } }
        case 22:
            let word = generator.one(of: Samples.words)
            let tag = try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT \(key) FROM \(schema.tags) WHERE word = ?"),
                arguments: [word])
            try database.executeCached(
                sql: generator.once(in: 2)
                    ? "INSERT OR IGNORE INTO \(schema.links) (\(schema.linkedPart), \(schema.linkedTag)) VALUES (?, ?)"
                    : "DELETE FROM \(schema.links) WHERE \(schema.linkedPart) = ? AND \(schema.linkedTag) = ?",
                arguments: [number, tag])
        default:
            try database.executeCached(sql: "SAVEPOINT s")
            try database.executeCached(sql: "UPDATE \(schema.parts) SET rank = rank + 7")
            try database.executeCached(sql: "ROLLBACK TO s")
            try database.executeCached(sql: "RELEASE s")
        }
    }

    private func existing(_ database: Database) throws -> [ObjectID] {
        try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT \(schema.key) FROM \(schema.parts) ORDER BY 1")
        )
        .map { ObjectID(entityName: "Part", primaryKey: $0) }.filter { !avoided.contains($0) }
    }

    private func isMachine(_ key: Int64, _ database: Database) throws -> Bool {
        let sql = "SELECT 1 FROM Part WHERE objectID = ? AND \".entity\" <> 'Part'"
        return try schema.isOurs && Int.fetchOne(database.cachedStatement(sql: sql), arguments: [key]) != nil
    }

    /// Returns a key that no row has. In the library's tables, no deleted row had it either.
    private func newKey(_ database: Database) throws -> Int64 {
        let ever =
            schema.isOurs
            ? try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'Part'")) : nil
        let now = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT max(\(schema.key)) FROM \(schema.parts)"))
        return max(ever ?? 0, now ?? 0) + 2
    }

    /// Gives a row the unique code of another row, which the statement deletes.
    private mutating func displace(
        _ parts: [ObjectID], _ part: ObjectID, _ database: Database, _ generator: inout SeededGenerator,
        _ body: (inout Self, StoredValue, inout SeededGenerator) throws -> ObjectID
    ) throws {
        let codes = try String.fetchAll(
            database.cachedStatement(
                sql: "SELECT code FROM \(schema.parts) WHERE code IS NOT NULL ORDER BY \(schema.key)"))
        guard !codes.isEmpty, plan.mayDisplace else { return }
        let row = try body(&self, .text(generator.one(of: codes)), &generator)
        rewritten.insert(row)
    }

    private mutating func insert(
        _ parts: inout [ObjectID], _ shelves: [ObjectID], _ database: Database,
        _ generator: inout SeededGenerator
    ) throws {
        let key = try newKey(database)
        try write("INSERT", key: key, code: plan.value(of: .code, &generator), shelves, database, &generator)
        parts.append(ObjectID(entityName: "Part", primaryKey: key))
    }

    private mutating func write(
        _ verb: String, key: Int64, code: StoredValue, _ shelves: [ObjectID], _ database: Database,
        _ generator: inout SeededGenerator
    ) throws {
        let values = WarehouseSchema.Field.allCases.map {
            ($0 == .code ? code : plan.value(of: $0, &generator)).databaseValue
        }
        let columns = WarehouseSchema.Field.allCases.map(\.attribute).joined(separator: ", ")
        let shelf = shelves.isEmpty || generator.once(in: 5) ? nil : generator.one(of: shelves).primaryKey
        written.append(ObjectID(entityName: "Part", primaryKey: key))
        try database.executeCached(
            sql:
                "\(verb) INTO \(schema.parts) (\(schema.key), shelf, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: StatementArguments([key.databaseValue, shelf?.databaseValue ?? .null] + values))
    }

    /// Changes a shelf or its hall, or deletes the shelf.
    ///
    /// - Returns: Whether the shelf was deleted.
    private mutating func changeShelf(
        _ shelf: ObjectID, _ halls: [ObjectID], _ database: Database, _ generator: inout SeededGenerator
    ) throws -> Bool {
        let number = shelf.primaryKey ?? 0
        written.append(shelf)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0...1:
            try database.executeCached(
                sql: "UPDATE \(schema.shelves) SET name = ? WHERE \(schema.key) = ?",
                arguments: [plan.newShelfName(&generator), number])
        case 2:
            try database.executeCached(
                sql: "UPDATE \(schema.shelves) SET note = ? WHERE \(schema.key) = ?",
                arguments: [generator.number(below: 6), number])
        case 3:
            try database.executeCached(
                sql: "UPDATE \(schema.shelves) SET hall = ? WHERE \(schema.key) = ?",
                arguments: [generator.one(of: halls).primaryKey, number])
        case 4:
            let hall = generator.one(of: halls)
            written.append(hall)
            try database.executeCached(
                sql: "UPDATE \(schema.halls) SET name = ? WHERE \(schema.key) = ?",
                arguments: ["h\(generator.number(below: 4))", hall.primaryKey])
        default:
            guard avoided.isEmpty,
                try Int.fetchOne(database.cachedStatement(sql: "SELECT count(*) FROM \(schema.shelves)")) ?? 0
                    > 3
            else { return false }
            let rows = try Int64.fetchAll(
                database.cachedStatement(sql: "SELECT \(schema.key) FROM \(schema.parts) WHERE shelf = ?"),
                arguments: [number])
            written += rows.map { ObjectID(entityName: "Part", primaryKey: $0) }
            // In the library's tables the foreign key does this.
            if !schema.isOurs {
                try database.executeCached(
                    sql: "UPDATE \(schema.parts) SET shelf = NULL WHERE shelf = ?", arguments: [number])
            }
            try database.executeCached(
                sql: "DELETE FROM \(schema.shelves) WHERE \(schema.key) = ?", arguments: [number])
            return true
        }
        return false
    }

    /// Inserts more rows than the log records, and deletes them in the same transaction.
    func floodLog(_ capacity: Int) throws {
        try warehouse.foreign.write { database in
            let first = try newKey(database)
            try database.executeCached(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(capacity))
                    INSERT INTO \(schema.parts) (\(schema.key), rank, note) SELECT ? + i, i, i FROM n
                    """, arguments: [first])
            try database.executeCached(
                sql: "DELETE FROM \(schema.parts) WHERE \(schema.key) >= ?", arguments: [first])
        }
    }
}

extension Database {
    /// Runs a statement that stays compiled: with its triggers, compiling takes longer than running most of
    /// them.
    fileprivate func executeCached(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension StoredValue {
    /// The value as the other program binds it.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }
}
