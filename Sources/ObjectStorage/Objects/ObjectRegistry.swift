/// The objects of one context whose rows are in one table, each once, by primary key.
///
/// Entities that inherit from each other share it, so that a row is one object whichever of them it is asked
/// for by. An object removes itself when it is freed.
final class ObjectRegistry {
    /// The table.
    let tableName: String
    /// Of which entities the rows are; nil where all are of one.
    let kinds: ConcreteEntityCache?
    private let objects = ObjectTable()

    init(tableName: String, hasKinds: Bool) {
        self.tableName = tableName
        kinds = hasKinds ? ConcreteEntityCache() : nil
    }

    /// Whether no object is alive.
    var isEmpty: Bool { objects.isEmpty }

    /// How many objects there are at most.
    var maximumCount: Int { objects.maximumCount }

    /// The objects that are alive, in no order.
    var allObjects: [ManagedObject] { objects.values.map { $0.takeUnretainedValue() } }

    /// The object with a key, if it is alive.
    func object(forKey key: Int64) -> ManagedObject? { objects[key]?.takeUnretainedValue() }

    /// Makes an object the one with a key.
    func register(_ object: ManagedObject, key: Int64) { objects[key] = Unmanaged.passUnretained(object) }

    /// Takes an object out, unless another is there by now.
    func forget(_ object: ManagedObject, key: Int64) {
        guard objects[key]?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() else { return }
        objects[key] = nil
    }
}
