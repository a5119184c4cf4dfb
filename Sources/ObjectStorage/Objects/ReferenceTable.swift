/// An index of the to-one references between objects in memory, by the object that is referred to.
///
/// The first few searches for the objects that refer to an object scan all objects. With the index, a
/// thousand deletions among a hundred thousand objects do not scan these a thousand times. All changes of an
/// object's values are noted here, and entries are never removed: a look-up returns objects that referred to
/// the object at some time and may still do so.
final class ReferenceTable {
    /// A referring object, and the index of the previous entry for the same destination.
    private struct Entry {
        let source: Int64
        let previous: Int32
    }

    private var entries: [Entry] = []
    /// The index of the last entry for each destination, by the position of the relationship.
    private var last: [[Int64: Int32]]
    /// The keys of objects whose values changed since the last look-up.
    private var changed: [Int64] = []
    private var limit = 0

    /// Creates an index of an entity's objects.
    ///
    /// - Parameter objects: The objects to index; faults are skipped.
    init(of objects: some Collection<ManagedObject>, _ runtime: EntityRuntime) {
        last = Array(repeating: [:], count: runtime.description.toOneRelationships.count)
        entries.reserveCapacity(objects.count)
        for object in objects { insert(object) }
        // When the changes exceed the initial size, building a new index costs less than keeping this one.
        limit = 2 * (entries.count + 1_000)
    }

    /// Notes an object whose values may have changed; returns false once there are too many entries for the
    /// index to be worth keeping.
    func note(_ object: ManagedObject) -> Bool {
        let key = object.identityKey.unsavedKey
        if changed.last != key { changed.append(key) }
        return changed.count + entries.count < limit
    }

    /// Returns the keys of the objects whose relationship may lead to the object with a key, without
    /// duplicates.
    ///
    /// - Parameters:
    ///   - position: The position of the relationship among the to-one relationships.
    ///   - find: Returns the object with a key; nil if it is no longer in memory.
    func sources(leadingTo key: Int64, position: Int, find: (Int64) -> ManagedObject?) -> Set<Int64> {
        let noted = changed
        changed = []
        for key in noted { if let object = find(key) { insert(object) } }
        var sources: Set<Int64> = []
        var entry = last[position][key]
        while let number = entry, number >= 0 {
            sources.insert(entries[Int(number)].source)
            entry = entries[Int(number)].previous
        }
        return sources
    }

    private func insert(_ object: ManagedObject) {
        guard !object.isFault else { return }
        let source = object.identityKey.unsavedKey
        let first = object.entity.storedAttributes.count
        for position in last.indices {
            guard let key = object.referenceKey(inSlot: first + position) else { continue }
            let previous = last[position][key] ?? -1
            if previous >= 0, entries[Int(previous)].source == source { continue }
            last[position][key] = Int32(entries.count)
            entries.append(Entry(source: source, previous: previous))
        }
    }
}

extension ManagedObject {
    /// Returns the key of the object that a relationship leads to, or the temporary key of an unsaved one.
    fileprivate final func referenceKey(inSlot slot: Int) -> Int64? {
        if let target = details?.assignedReferences[slot] { return target.identityKey.unsavedKey }
        guard case .integer(let key) = value(inSlot: slot) else { return nil }
        return key
    }

    /// Returns whether a relationship leads to an object; false for a fault.
    final func leads(to target: ManagedObject, slot: Int) -> Bool {
        guard !isFault else { return false }
        if let assigned = details?.assignedReferences[slot] { return assigned === target }
        return target.rowKey.map { value(inSlot: slot) == .integer($0) } ?? false
    }
}
