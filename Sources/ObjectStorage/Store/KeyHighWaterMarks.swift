import GRDB
import InternalUtilities

/// The largest keys that a container has seen in external tables.
///
/// SQLite reuses the key of a deleted row if it was the largest, unless the table is declared with
/// `AUTOINCREMENT`. A context that still has the old object would treat the new row as that object, so a
/// container never assigns a key that was in use at one of its earlier writes.
final class KeyHighWaterMarks: Sendable {
    private let marks = LockedValue<[(tableName: String, key: Int64)]>([])

    /// Records the current largest keys of entities' tables.
    ///
    /// - Complexity: O(log *n*) in the rows of each table.
    func note(_ entities: [EntityDescription], in database: Database) throws {
        for entity in entities { note(try Self.largestKey(of: entity, in: database), of: entity) }
    }

    /// Records the keys of rows that no longer exist.
    func note(_ objectIDs: Set<ObjectID>, of model: ManagedObjectModel) {
        for objectID in objectIDs {
            guard let key = objectID.primaryKey, let entity = model.entity(named: objectID.entityName),
                entity.mapping != nil
            else { continue }
            note(key, of: entity)
        }
    }

    private func note(_ key: Int64, of entity: EntityDescription) {
        marks.withLock { marks in
            if let index = marks.firstIndex(where: { $0.tableName == entity.tableName }) {
                marks[index].key = max(marks[index].key, key)
            } else {
                marks.append((entity.tableName, key))
            }
        }
    }

    /// Returns the largest key that a new row must not get: that of an existing row, one that SQLite
    /// assigned, or one that was recorded.
    func last(of entity: EntityDescription, in database: Database) throws -> Int64 {
        let mark = marks.withLock { $0.first { $0.tableName == entity.tableName }?.key } ?? 0
        return max(mark, try Self.largestKey(of: entity, in: database))
    }

    /// Returns the key after `last`.
    ///
    /// - Throws: ``ObjectStorageError`` if no larger key exists.
    static func key(after last: Int64, of entity: EntityDescription) throws(ObjectStorageError) -> Int64 {
        guard last < .max else { throw lastKeyError(of: entity) }
        return last + 1
    }

    static func lastKeyError(of entity: EntityDescription) -> ObjectStorageError {
        ObjectStorageError(
            .database,
            "The table “\(entity.tableName)” has used its last key, 2⁶³−1. Move its objects to a new table.",
            entityName: entity.name)
    }

    private static func largestKey(of entity: EntityDescription, in database: Database) throws -> Int64 {
        var key: Int64 = 0
        let row = try database.rows("SELECT max(\(entity.keySQL)) FROM \(entity.tableSQL)")
        if case .integer(let largest)? = row.first?.first { key = max(key, largest) }
        guard try !database.rows("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'").isEmpty
        else { return key }
        let sequence = try database.rows(
            "SELECT seq FROM main.sqlite_sequence WHERE name = ?1", [.text(entity.tableName)])
        if case .integer(let last)? = sequence.first?.first { key = max(key, last) }
        return key
    }
}
