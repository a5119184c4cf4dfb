/// The objects of one context whose rows are in one table, by primary key.
///
/// Entities that inherit from each other share a registry, so that a row is one object whichever of these
/// entities it is requested by. An object removes itself when it is deallocated.
final class ObjectRegistry {
    /// The name of the table.
    let tableName: String
    /// The concrete entities of the rows; nil if only one entity uses the table.
    let concreteEntities: ConcreteEntityCache?
    private let objects = ObjectTable()

    init(tableName: String, hasConcreteEntities: Bool) {
        self.tableName = tableName
        concreteEntities = hasConcreteEntities ? ConcreteEntityCache() : nil
    }

    /// Whether no object is registered.
    var isEmpty: Bool { objects.isEmpty }

    /// An upper bound of the number of objects.
    var maximumCount: Int { objects.maximumCount }

    /// The registered objects, in no particular order.
    var allObjects: [ManagedObject] { objects.values.map { $0.takeUnretainedValue() } }

    /// Returns the object with a key, if it is in memory.
    func object(forKey key: Int64) -> ManagedObject? { objects[key]?.takeUnretainedValue() }

    /// Registers an object under a key.
    func register(_ object: ManagedObject, key: Int64) { objects[key] = Unmanaged.passUnretained(object) }

    /// Removes an object, unless another one is registered under the key by now.
    func forget(_ object: ManagedObject, key: Int64) {
        guard objects[key]?.toOpaque() == Unmanaged.passUnretained(object).toOpaque() else { return }
        objects[key] = nil
    }
}
