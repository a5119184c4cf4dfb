/// The temporary and reserved keys of new objects, with the keys that replace them.
struct ReplacedKeys {
    /// Temporary keys, which are unique across entities.
    private var temporary: [ObjectID.Key: Int64] = [:]
    /// Reserved keys by the names of their tables. A save that merges a new object with a row replaces them.
    private var reserved: [String: [Int64: Int64]] = [:]

    /// Creates the keys of new objects that were saved. Reserved keys that the save kept are replaced by
    /// themselves.
    ///
    /// - Parameter objects: The objects, which have their new keys, with their previous keys.
    init(_ objects: some Sequence<(ManagedObject, ObjectID.Key)>) {
        for (object, previous) in objects {
            let key = object.identityKey.unsavedKey
            switch previous {
            case .temporary: temporary[previous] = key
            case .permanent(let previous): reserved[object.entity.tableName, default: [:]][previous] = key
            }
        }
    }

    /// Creates temporary keys, with the keys that were reserved for their objects.
    init(temporary keys: [(ObjectID.Key, ObjectID.Key)]) {
        temporary = Dictionary(keys.lazy.map { ($0, $1.unsavedKey) }) { _, new in new }
    }

    /// Whether there are reserved keys, so that the replacement depends on the table.
    var haveReserved: Bool { !reserved.isEmpty }

    /// Returns the key that replaces another one; nil if it is not replaced.
    ///
    /// - Parameter tableName: The table of the object with the key.
    func key(replacing key: ObjectID.Key, ofTableNamed tableName: String?) -> Int64? {
        switch key {
        case .temporary: temporary[key]
        case .permanent(let key): tableName.flatMap { reserved[$0]?[key] }
        }
    }
}
