/// Rows at the other end of relationships that were read with the objects of a fetch.
///
/// The objects hold this, and it holds values and keys, no objects: so it lives as long as somebody can use
/// it, and objects that lead to each other do not keep each other alive.
final class PrefetchedRows {
    /// The context's generation when the rows were read; when the context's has moved on they are not used
    /// any more.
    let generation: UInt64
    /// A row, with the entity that it is of.
    struct Row {
        let entityName: String
        let values: [StoredValue]
    }

    /// Rows by table and key.
    private var rows: [String: [Int64: Row]] = [:]
    /// The keys that to-many relationships lead to, in order, by the relationship, as the entity that
    /// declares it has it, and the owner's key.
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

    /// Gives an object its row, if it has none yet, and what was read beyond it.
    func fill(_ object: ManagedObject) {
        guard let key = object.rowKey else { return }
        if object.isFault, let row = row(object.entity.tableName, key), row.entityName == object.entity.name {
            object.adopt(row.values)
        }
        if object.prefetched?.generation != generation { object.prefetched = self }
    }
}

extension ManagedObject {
    /// What was read with the object and still holds.
    final var currentPrefetch: PrefetchedRows? {
        guard let prefetched else { return nil }
        if prefetched.generation == managedObjectContext?.storeGeneration { return prefetched }
        self.prefetched = nil
        return nil
    }
}
