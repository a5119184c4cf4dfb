/// A hash table from the key path of a property wrapper's storage to the property's slot, read in a few
/// nanoseconds.
///
/// The compiler passes the same key path object on every access from one location in the code, so the
/// object's address identifies the property. Each entry retains its key path, so an address in the table
/// cannot be reused for another.
final class PropertyStorageTable {
    private struct Entry {
        /// 0 for a free entry.
        var address: UInt
        var slot: Int
    }

    // Raw memory, because each access to an array in a class would be checked for exclusivity.
    /// The capacity is a power of two, and at most half of the entries are taken.
    private var entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: 16)
    private var keyPaths: [AnyKeyPath] = []

    init() { entries.initialize(repeating: Entry(address: 0, slot: 0)) }

    deinit { entries.deallocate() }

    private static func address(_ keyPath: AnyKeyPath) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    }

    /// Returns the position of an address's entry, or of the free entry at which it would be inserted.
    private func position(of address: UInt) -> Int {
        let hash = (address >> 4) &* 0x9E37_79B9_7F4A_7C15
        var position = Int(truncatingIfNeeded: hash >> 32) & (entries.count - 1)
        while entries[position].address != address, entries[position].address != 0 {
            position = (position + 1) & (entries.count - 1)
        }
        return position
    }

    /// Returns the slot stored for `keyPath`, if any.
    ///
    /// - Complexity: O(1).
    func slot(of keyPath: AnyKeyPath) -> Int? {
        let entry = entries[position(of: Self.address(keyPath))]
        return entry.address == 0 ? nil : entry.slot
    }

    /// Stores the slot of a key path that is not in the table yet.
    func insert(_ keyPath: AnyKeyPath, slot: Int) {
        keyPaths.append(keyPath)
        if keyPaths.count * 2 > entries.count { grow() }
        let address = Self.address(keyPath)
        entries[position(of: address)] = Entry(address: address, slot: slot)
    }

    private func grow() {
        let old = entries
        entries = .allocate(capacity: old.count * 2)
        entries.initialize(repeating: Entry(address: 0, slot: 0))
        for entry in old where entry.address != 0 { entries[position(of: entry.address)] = entry }
        old.deallocate()
    }
}
