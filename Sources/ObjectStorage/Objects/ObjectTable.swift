/// The objects of an entity in a context by their keys.
///
/// A table of its own because a fetch of a hundred thousand objects looks each up and notes it: neighbouring keys, which
/// come one after the other, lie beside each other here, and nothing is hashed that need not be.
struct ObjectTable {
    private struct Entry {
        var key: Int64
        var object: Unmanaged<ManagedObject>?
    }

    /// A power of two in number, at most three quarters of which are taken; empty until there is an object.
    private var entries: [Entry] = []
    private(set) var count = 0

    /// Where a key belongs: in the order of keys within sixteen, and these spread.
    private func home(of key: Int64) -> Int {
        let bits = UInt64(bitPattern: key)
        let spread = (bits >> 4) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: (spread >> 28) << 4 | bits & 15) & (entries.count - 1)
    }

    /// Where a key is, or would be.
    private func place(of key: Int64) -> Int {
        var place = home(of: key)
        while entries[place].object != nil, entries[place].key != key {
            place = (place + 1) & (entries.count - 1)
        }
        return place
    }

    /// The object with a key, which must be alive.
    ///
    /// - Complexity: O(1) on average.
    subscript(key: Int64) -> Unmanaged<ManagedObject>? {
        get { entries.isEmpty ? nil : entries[place(of: key)].object }
        set {
            guard let newValue else { return remove(key) }
            if (count + 1) * 4 > entries.count * 3 { grow() }
            let place = place(of: key)
            if entries[place].object == nil { count += 1 }
            entries[place] = Entry(key: key, object: newValue)
        }
    }

    /// The objects, in no order.
    var values: [Unmanaged<ManagedObject>] { entries.compactMap(\.object) }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: Entry(key: 0, object: nil), count: max(32, old.count * 2))
        for entry in old where entry.object != nil { entries[place(of: entry.key)] = entry }
    }

    /// Removes a key, and moves those behind it that would not be found across the gap.
    private mutating func remove(_ key: Int64) {
        guard !entries.isEmpty else { return }
        var gap = place(of: key)
        guard entries[gap].object != nil else { return }
        count -= 1
        let mask = entries.count - 1
        var next = (gap + 1) & mask
        while entries[next].object != nil {
            let distance = (next - home(of: entries[next].key)) & mask
            if distance >= (next - gap) & mask {
                entries[gap] = entries[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        entries[gap].object = nil
    }
}
