/// Rows at the other end of relationships that were read with the objects of a fetch.
///
/// The objects hold this, and it holds values and keys, no objects: so it lives as long as somebody can use it, and objects
/// that lead to each other do not keep each other alive.
final class PrefetchedRows {
    /// The context's generation when the rows were read; when the context's has moved on they are not used any more.
    let generation: UInt64
    /// Rows by entity and key.
    private var rows: [String: [Int64: [StoredValue]]] = [:]
    /// The keys that to-many relationships lead to, in order, by the relationship and the owner's key.
    private var related: [RelationshipName: [Int64: [Int64]]] = [:]

    struct RelationshipName: Hashable {
        let entity: String
        let relationship: String
    }

    init(generation: UInt64) { self.generation = generation }

    func row(_ entityName: String, _ key: Int64) -> [StoredValue]? { rows[entityName]?[key] }

    func add(_ row: [StoredValue], _ entityName: String, _ key: Int64) {
        rows[entityName, default: [:]][key] = row
    }

    func keys(_ relationship: RelationshipName, of owner: Int64) -> [Int64]? { related[relationship]?[owner] }

    func add(_ keys: [Int64: [Int64]], _ relationship: RelationshipName) {
        related[relationship, default: [:]].merge(keys) { _, new in new }
    }

    /// Gives an object its row, if it has none yet, and what was read beyond it.
    func fill(_ object: ManagedObject) {
        guard let key = object.rowKey else { return }
        if object.isFault, let row = row(object.entity.name, key) { object.adopt(row) }
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
