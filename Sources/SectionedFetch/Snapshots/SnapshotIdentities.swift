import InternalUtilities
import ObjectStorage

/// The object IDs of a snapshot's rows, read in batches when they are accessed. The class may be used from
/// any thread.
final class SnapshotIdentities: Sendable {
    /// The keys of the rows.
    let rows: ResultsIndex
    private let entityName: String
    private let container: PersistentContainer
    /// Whether rows may be unsaved objects of a parent context.
    private let isOfChild: Bool
    /// The IDs of objects that were never saved, by their keys in the index.
    private let unsaved: [Int64: ObjectID]
    /// The known entities of rows, by the names of the listed entities that have sub-entities.
    private let concreteEntities: [String: ConcreteEntityCache]
    /// The entity of the list.
    private let list: EntityDescription?
    private let state = LockedValue(State())

    private struct State {
        /// The batch that was read last.
        var first = 0
        var objectIDs: [ObjectID] = []
        var failure: ObjectStorageError?
    }

    private static let batchSize = 256

    init(
        _ rows: ResultsIndex, entityName: String, in context: ManagedObjectContext,
        unsaved: [Int64: ObjectID], includesSubentities: Bool
    ) {
        self.rows = rows
        self.entityName = entityName
        self.unsaved = unsaved
        container = context.container
        isOfChild = context.parent != nil
        list = container.model.list(named: entityName)
        var caches: [String: ConcreteEntityCache] = [:]
        if includesSubentities, let list {
            for entity in list.listedEntities where entity.hasSubentities {
                caches[entity.name] = context.concreteEntityCache(ofEntityNamed: entity.name)
            }
        }
        concreteEntities = caches
    }

    /// The reason why accessed rows could not be read.
    var failure: ObjectStorageError? { state.withLock { $0.failure } }

    /// The object ID of a row; for a lost row, an ID that no object has.
    subscript(position: Int) -> ObjectID {
        let known = state.withLock { state in
            let index = position - state.first
            return state.objectIDs.indices.contains(index) ? state.objectIDs[index] : nil
        }
        if let known { return known }
        let first = position / Self.batchSize * Self.batchSize
        // No lock is held while the store is read, because a thread that has the store to itself may read
        // rows, too.
        let (read, failure) = objectIDs(at: first..<min(first + Self.batchSize, rows.numberOfRows))
        state.withLock { state in
            (state.first, state.objectIDs) = (first, read)
            if let failure { state.failure = failure }
        }
        return read[position - first]
    }

    private func objectIDs(at positions: Range<Int>) -> ([ObjectID], ObjectStorageError?) {
        do throws(ObjectStorageError) {
            return (try objectIDs(of: rows.keys(in: positions)), nil)
        } catch {
            let name = list?.listedEntities.first?.name ?? entityName
            let missing = ObjectID(entityName: name, primaryKey: ResultsIndex.missingKey)
            return (Array(repeating: missing, count: positions.count), error)
        }
    }

    /// Returns the position of an object, or nil if it is not in the results.
    func position(of objectID: ObjectID) -> Int? {
        guard let list, let entity = container.model.entity(named: objectID.entityName) else { return nil }
        if let key = unsaved.first(where: { $0.value == objectID })?.key { return rows.position(of: key) }
        guard let key = objectID.primaryKey else { return nil }
        for offset in list.keyOffsets(ofTableNamed: entity.tableName) {
            if let position = rows.position(of: key &+ offset) { return position }
        }
        return nil
    }

    /// Returns the unsaved objects that a context has and, in place of each other one, an object whose
    /// `readError` has the reason.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    func unsavedObjects(in context: ManagedObjectContext) throws(ObjectStorageError) -> [Int64: ManagedObject]
    {
        var objects: [Int64: ManagedObject] = [:]
        for (key, objectID) in unsaved {
            do throws(ObjectStorageError) {
                objects[key] = try context.object(with: objectID)
            } catch {
                // Another context does not have them, and may have another row with the key.
                guard error.code == .wrongContext else { throw error }
                objects[key] = try context.lostObject(ofEntityNamed: objectID.entityName, because: error)
            }
        }
        return objects
    }

    private func objectIDs(of keys: [Int64]) throws(ObjectStorageError) -> [ObjectID] {
        var objectIDs = keys.map { unsaved[$0] ?? objectID(ofKey: $0) }
        for (entityName, cache) in concreteEntities {
            let positions = keys.indices.filter {
                unsaved[keys[$0]] == nil && !objectIDs[$0].isTemporary
                    && objectIDs[$0].entityName == entityName
            }
            let read = try container.newContext().objectIDs(
                ofKeys: positions.compactMap { objectIDs[$0].primaryKey }, entityName: entityName,
                concreteEntities: cache)
            // In a child context, the unsaved objects of its parent are rows, which may be deleted as well.
            // The cache retains their entities.
            cache.note(keys.compactMap { unsaved[$0] }.filter { isOfTable($0, entityName) })
            for (position, objectID) in zip(positions, read) { objectIDs[position] = objectID }
        }
        return objectIDs
    }

    private func isOfTable(_ objectID: ObjectID, _ entityName: String) -> Bool {
        container.model.entity(named: objectID.entityName)?.sharesTable(withEntityNamed: entityName) == true
    }

    private func objectID(ofKey key: Int64) -> ObjectID {
        let (entityName, key) = list?.row(ofListKey: key) ?? (entityName, key)
        return isOfChild
            ? ObjectID(entityName: entityName, keyInChild: key, in: container)
            : ObjectID(entityName: entityName, primaryKey: key)
    }
}
