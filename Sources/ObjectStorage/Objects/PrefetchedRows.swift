/// The rows at the other ends of relationships that were read together with the objects of a fetch.
///
/// The objects of the fetch retain this object, and it contains only values and keys. It therefore lives as
/// long as it can be used, and objects that lead to each other do not form a retain cycle.
final class PrefetchedRows {
    /// The context's ``ManagedObjectContext/storeGeneration`` when the rows were read. After the context's
    /// generation has changed, the rows are no longer used.
    let generation: UInt64
    /// A row with the name of its entity.
    struct Row {
        let entityName: String
        let values: [StoredValue]
    }

    /// The rows by table name and primary key.
    private var rows: [String: [Int64: Row]] = [:]
    /// The ordered keys that to-many relationships lead to, by relationship, named by the entity that
    /// declares it, and by the owner's key.
    private var related: [RelationshipName: [Int64: [Int64]]] = [:]

    struct RelationshipName: Hashable {
        let entity: String
        let relationship: String
    }

    init(generation: UInt64) { self.generation = generation }

    func row(_ tableName: String, _ key: Int64) -> Row? { rows[tableName]?[key] }

    func add(_ row: Row, _ tableName: String, _ key: Int64) {
        rows[tableName, default: [:]][key] = row
    }

    func keys(_ relationship: RelationshipName, of owner: Int64) -> [Int64]? { related[relationship]?[owner] }

    func add(_ keys: [Int64: [Int64]], _ relationship: RelationshipName) {
        related[relationship, default: [:]].merge(keys) { _, new in new }
    }

    /// Sets the values of an object, if it is a fault, and attaches the prefetched rows to it.
    func fill(_ object: ManagedObject) {
        guard let key = object.rowKey else { return }
        if object.isFault, let row = row(object.entity.tableName, key), row.entityName == object.entity.name {
            object.adopt(row.values)
        }
        if object.prefetched?.generation != generation { object.prefetched = self }
    }
}

extension ManagedObject {
    /// The rows that were prefetched with the object, if they are still current.
    final var currentPrefetch: PrefetchedRows? {
        guard let prefetched else { return nil }
        if prefetched.generation == managedObjectContext?.storeGeneration { return prefetched }
        self.prefetched = nil
        return nil
    }
}
