import ObjectStorage
import SectionCaching

/// Keys that tell rows apart over several states of a controller's results.
///
/// A new object has another key in each state before its save, and another one after it. Here it has one as long as it is unsaved, and
/// from its save on that of its row.
struct RowIdentities {
    /// Below the keys that rows have.
    private static let firstUnsavedKey = Int64.min + 1
    private var keys: [ManagedObject: Int64] = [:]
    /// The unsaved objects by their keys.
    private(set) var objects: [ManagedObject] = []

    /// The rows of some results; nil if the cache that they are read from cannot answer any more.
    mutating func rows(of index: SectionIndex, provisionalKeys: [ManagedObject: Int64]) -> SectionedRows? {
        index.rowIDs(in: 0..<index.numberOfRows).map {
            rows(of: index, keys: $0, provisionalKeys: provisionalKeys)
        }
    }

    /// The same with the keys that were read from the index before.
    mutating func rows(
        of index: SectionIndex, keys: [Int64], provisionalKeys: [ManagedObject: Int64]
    ) -> SectionedRows {
        var rows = SectionedRows(index, keys: keys)
        guard !provisionalKeys.isEmpty else { return rows }
        var replacements: [Int64: Int64] = [:]
        for (object, key) in provisionalKeys { replacements[key] = self.key(of: object) }
        for position in rows.keys.indices {
            if let key = replacements[rows.keys[position]] { rows.keys[position] = key }
        }
        return rows
    }

    /// The key of an object that was new.
    mutating func key(of object: ManagedObject) -> Int64 {
        if let key = object.rowKey { return key }
        if let key = keys[object] { return key }
        let key = Self.firstUnsavedKey + Int64(objects.count)
        keys[object] = key
        objects.append(object)
        return key
    }

    /// The unsaved object with a key; nil for a key of a row.
    func object(forKey key: Int64) -> ManagedObject? {
        let position = key &- Self.firstUnsavedKey
        return objects.indices.contains(Int(truncatingIfNeeded: position)) ? objects[Int(position)] : nil
    }
}
