/// A hash table of a context's objects whose rows are in one table, by primary key.
///
/// A custom table, because a fetch of a hundred thousand objects looks up and inserts each of them. A group
/// of sixteen neighbouring keys, which are mostly requested one after the other, is one entry; collisions are
/// resolved by linear probing.
final class ObjectTable {
    private struct Group {
        /// The keys of the group without their last four bits.
        var number: Int64
        /// The number of objects in the group; 0 for a free entry.
        var count: Int
    }

    private static let keysInGroup = 16

    // Raw memory, because each change of an array in a class would be checked for exclusivity.
    /// The capacity is a power of two, and at most half of the entries are taken.
    private var groups = UnsafeMutableBufferPointer<Group>(start: nil, count: 0)
    /// The objects of the entries, sixteen for each.
    private var objects = UnsafeMutableBufferPointer<Unmanaged<ManagedObject>?>(start: nil, count: 0)
    private var numberOfGroups = 0

    deinit {
        groups.deallocate()
        objects.deallocate()
    }

    private func home(of number: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> 32)
            & (groups.count - 1)
    }

    /// Returns a group's entry, or the free entry at which it would be inserted.
    private func entry(of number: Int64) -> Int {
        var entry = home(of: number)
        while groups[entry].count > 0, groups[entry].number != number {
            entry = (entry + 1) & (groups.count - 1)
        }
        return entry
    }

    private static func position(_ key: Int64, in entry: Int) -> Int {
        entry * keysInGroup + Int(key & Int64(keysInGroup - 1))
    }

    /// The object with a key, which must be alive.
    ///
    /// - Complexity: O(1) on average.
    subscript(key: Int64) -> Unmanaged<ManagedObject>? {
        get {
            guard numberOfGroups > 0 else { return nil }
            let entry = entry(of: key >> 4)
            return groups[entry].count > 0 ? objects[Self.position(key, in: entry)] : nil
        }
        set {
            guard let newValue else { return remove(key) }
            if numberOfGroups * 2 >= groups.count { grow() }
            let entry = entry(of: key >> 4)
            if groups[entry].count == 0 {
                groups[entry].number = key >> 4
                numberOfGroups += 1
            }
            let position = Self.position(key, in: entry)
            if objects[position] == nil { groups[entry].count += 1 }
            objects[position] = newValue
        }
    }

    /// Whether the table is empty.
    var isEmpty: Bool { numberOfGroups == 0 }

    /// An upper bound of the number of objects: the keys of a group may have gaps.
    var maximumCount: Int { numberOfGroups * Self.keysInGroup }

    /// The objects, in no particular order.
    var values: [Unmanaged<ManagedObject>] { objects.compactMap { $0 } }

    private func grow() {
        let (oldGroups, oldObjects) = (groups, objects)
        let count = max(4, oldGroups.count * 2)
        groups = .allocate(capacity: count)
        groups.initialize(repeating: Group(number: 0, count: 0))
        objects = .allocate(capacity: count * Self.keysInGroup)
        objects.initialize(repeating: nil)
        for old in oldGroups.indices where oldGroups[old].count > 0 {
            let entry = entry(of: oldGroups[old].number)
            groups[entry] = oldGroups[old]
            move(oldObjects, from: old, to: entry)
        }
        oldGroups.deallocate()
        oldObjects.deallocate()
    }

    /// Moves the objects of an entry to another.
    private func move(
        _ source: UnsafeMutableBufferPointer<Unmanaged<ManagedObject>?>, from old: Int, to new: Int
    ) {
        for position in 0..<Self.keysInGroup {
            objects[new * Self.keysInGroup + position] = source[old * Self.keysInGroup + position]
            source[old * Self.keysInGroup + position] = nil
        }
    }

    private func remove(_ key: Int64) {
        guard numberOfGroups > 0 else { return }
        let entry = entry(of: key >> 4)
        let position = Self.position(key, in: entry)
        guard groups[entry].count > 0, objects[position] != nil else { return }
        objects[position] = nil
        groups[entry].count -= 1
        if groups[entry].count == 0 { close(entry) }
    }

    /// Moves groups that follow a freed entry into the gap, so that probing finds them without crossing a
    /// free entry.
    private func close(_ free: Int) {
        numberOfGroups -= 1
        let mask = groups.count - 1
        var gap = free
        var next = (gap + 1) & mask
        while groups[next].count > 0 {
            let distance = (next - home(of: groups[next].number)) & mask
            if distance >= (next - gap) & mask {
                groups[gap] = groups[next]
                move(objects, from: next, to: gap)
                groups[next].count = 0
                gap = next
            }
            next = (next + 1) & mask
        }
    }
}
