/// The objects of an entity in a context by their keys.
///
/// A table of its own, because a fetch of a hundred thousand objects looks each up and notes it. Sixteen
/// neighbouring keys, which are mostly asked for one after the other, are one entry of a hash table without
/// chains.
final class ObjectTable {
    private struct Group {
        /// The keys without their last four bits.
        var number: Int64
        /// How many of the objects there are; 0 for an entry that is free.
        var count: Int
    }

    private static let keysInGroup = 16

    // Raw memory, because each change of an array in a class would be checked for others at the same time.
    /// A power of two in number, at most half of which are taken.
    private var groups = UnsafeMutableBufferPointer<Group>(start: nil, count: 0)
    /// The objects of each entry.
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

    /// The entry of a group, or the free one where it would be.
    private func entry(of number: Int64) -> Int {
        var entry = home(of: number)
        while groups[entry].count > 0, groups[entry].number != number {
            entry = (entry + 1) & (groups.count - 1)
        }
        return entry
    }

    private static func place(_ key: Int64, in entry: Int) -> Int {
        entry * keysInGroup + Int(key & Int64(keysInGroup - 1))
    }

    /// The object with a key, which must be alive.
    ///
    /// - Complexity: O(1) on average.
    subscript(key: Int64) -> Unmanaged<ManagedObject>? {
        get {
            guard numberOfGroups > 0 else { return nil }
            let entry = entry(of: key >> 4)
            return groups[entry].count > 0 ? objects[Self.place(key, in: entry)] : nil
        }
        set {
            guard let newValue else { return remove(key) }
            if numberOfGroups * 2 >= groups.count { grow() }
            let entry = entry(of: key >> 4)
            if groups[entry].count == 0 {
                groups[entry].number = key >> 4
                numberOfGroups += 1
            }
            let place = Self.place(key, in: entry)
            if objects[place] == nil { groups[entry].count += 1 }
            objects[place] = newValue
        }
    }

    /// Whether there is no object.
    var isEmpty: Bool { numberOfGroups == 0 }

    /// How many objects there are at most: their keys may have gaps.
    var maximumCount: Int { numberOfGroups * Self.keysInGroup }

    /// The objects, in no order.
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
        let place = Self.place(key, in: entry)
        guard groups[entry].count > 0, objects[place] != nil else { return }
        objects[place] = nil
        groups[entry].count -= 1
        if groups[entry].count == 0 { close(entry) }
    }

    /// Moves groups behind one that became free, so that they are found without crossing it.
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
