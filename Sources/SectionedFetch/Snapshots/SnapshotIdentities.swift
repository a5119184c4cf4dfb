import ObjectStorage

/// The identities of a snapshot's rows, read in batches as they are looked at. It may be used from any thread.
final class SnapshotIdentities: Sendable {
    /// The keys of the rows.
    let rows: ResultsIndex
    private let entityName: String
    private let container: PersistentContainer
    /// Whether rows may be unsaved objects of a parent context.
    private let isOfChild: Bool
    /// The objects that were never saved, by the keys that the index has for them.
    private let unsaved: [Int64: ObjectID]
    /// Whether rows may be of sub-entities, so that each has to be asked.
    private let hasSubentities: Bool
    private let batch = LockedValue<(first: Int, objectIDs: [ObjectID])>((0, []))

    private static let batchSize = 256

    init(
        _ rows: ResultsIndex, entityName: String, container: PersistentContainer, unsaved: [Int64: ObjectID],
        isOfChild: Bool, includesSubentities: Bool
    ) {
        self.isOfChild = isOfChild
        self.rows = rows
        self.entityName = entityName
        self.container = container
        self.unsaved = unsaved
        hasSubentities =
            includesSubentities && container.model.entity(named: entityName)?.hasSubentities ?? false
    }

    /// The identity of a row.
    subscript(position: Int) -> ObjectID {
        batch.withLock { batch in
            if batch.first <= position, position < batch.first + batch.objectIDs.count {
                return batch.objectIDs[position - batch.first]
            }
            let first = position / Self.batchSize * Self.batchSize
            let keys = rows.keys(in: first..<min(first + Self.batchSize, rows.numberOfRows))
            batch = (first, objectIDs(of: keys))
            return batch.objectIDs[position - first]
        }
    }

    /// The position of an object, or nil.
    func position(of objectID: ObjectID) -> Int? {
        guard let own = container.model.entity(named: entityName),
            container.model.entity(named: objectID.entityName)?.tableName == own.tableName
        else { return nil }
        let key = unsaved.first { $0.value == objectID }?.key ?? objectID.primaryKey
        return key.flatMap(rows.position(of:))
    }

    /// Those of the unsaved objects that a context has.
    func unsavedObjects(in context: ManagedObjectContext) -> [Int64: ManagedObject] {
        // Another context knows nothing of them.
        unsaved.compactMapValues { try? context.object(with: $0) }
    }

    private func objectIDs(of keys: [Int64]) -> [ObjectID] {
        let saved = keys.filter { unsaved[$0] == nil && !objectID(ofKey: $0).isTemporary }
        var found: [Int64: ObjectID] = [:]
        if hasSubentities {
            // What cannot be read is called after the request's entity, by which its object is found as well.
            let objectIDs =
                (try? container.newContext().objectIDs(ofKeys: saved, entityName: entityName, isReading: true))
                ?? []
            for (key, objectID) in zip(saved, objectIDs) { found[key] = objectID }
        }
        return keys.map {
            unsaved[$0] ?? found[$0] ?? objectID(ofKey: $0)
        }
    }

    private func objectID(ofKey key: Int64) -> ObjectID {
        isOfChild
            ? ObjectID(entityName: entityName, keyInChild: key)
            : ObjectID(entityName: entityName, primaryKey: key)
    }
}
