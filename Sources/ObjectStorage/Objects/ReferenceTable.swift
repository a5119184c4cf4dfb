/// Which objects of an entity in memory lead to which others, by their relationships to one object.
///
/// What looks for those that lead to an object goes through all of them as long as that is done a few times;
/// with the table a thousand deletions among a hundred thousand objects do not go through these a thousand
/// times. Whatever changes an object's values notes it here, and nothing is ever taken out: what the table
/// gives are objects that led there once and may still do so.
final class ReferenceTable {
    /// An object that leads somewhere, and the one before it that leads to the same place.
    private struct Entry {
        let source: Int64
        let previous: Int32
    }

    private var entries: [Entry] = []
    /// The last entry of each object that is led to, by the position of the relationship.
    private var last: [[Int64: Int32]]
    /// The objects whose values changed since the table was last asked.
    private var changed: [Int64] = []
    private var limit = 0

    /// - Parameter objects: Those that have values, and all that are new.
    init(of objects: some Collection<ManagedObject>, _ runtime: EntityRuntime) {
        last = Array(repeating: [:], count: runtime.description.toOneRelationships.count)
        entries.reserveCapacity(objects.count)
        for object in objects { insert(object) }
        // Where more changed than there was, another table costs less than what this one would have to keep.
        limit = 2 * (entries.count + 1_000)
    }

    /// Notes an object whose values may have changed; false once there were too many for the table to be
    /// worth keeping.
    func note(_ object: ManagedObject) -> Bool {
        let key = object.identityKey.unsavedKey
        if changed.last != key { changed.append(key) }
        return changed.count + entries.count < limit
    }

    /// The keys of the objects whose relationship may lead to the object with a key, each once.
    ///
    /// - Parameters:
    ///   - position: That of the relationship among those to one object.
    ///   - find: Gives the object with a key; nil if it is gone.
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
    /// The key of the object that a relationship leads to, or what stands for it while that has none.
    fileprivate final func referenceKey(inSlot slot: Int) -> Int64? {
        if let target = details?.assignedReferences[slot] { return target.identityKey.unsavedKey }
        guard case .integer(let key) = value(inSlot: slot) else { return nil }
        return key
    }

    /// Whether a relationship leads to an object. A fault leads nowhere yet.
    final func leads(to target: ManagedObject, slot: Int) -> Bool {
        guard !isFault else { return false }
        if let assigned = details?.assignedReferences[slot] { return assigned === target }
        return target.rowKey.map { value(inSlot: slot) == .integer($0) } ?? false
    }
}
