/// Finds a property's place by the key path of its wrapper's storage, in a few nanoseconds.
///
/// The compiler passes the same key path object on every access from one place in the code, so the object's
/// address identifies the property. Each entry keeps its key path alive: an address in the table cannot come
/// to mean another.
final class PropertyStorageTable {
    private struct Entry {
        /// 0 for a free entry.
        var address: UInt
        var place: Int
    }

    // Raw memory, because each look into an array of a class would be checked for changes at the same time.
    /// A power of two in number, at most half of which are taken.
    private var entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: 16)
    private var keyPaths: [AnyKeyPath] = []

    init() { entries.initialize(repeating: Entry(address: 0, place: 0)) }

    deinit { entries.deallocate() }

    private static func address(_ keyPath: AnyKeyPath) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    }

    /// The entry of an address, or the free one where it would be.
    private func position(of address: UInt) -> Int {
        let hash = (address >> 4) &* 0x9E37_79B9_7F4A_7C15
        var position = Int(truncatingIfNeeded: hash >> 32) & (entries.count - 1)
        while entries[position].address != address, entries[position].address != 0 {
            position = (position + 1) & (entries.count - 1)
        }
        return position
    }

    /// The place noted for `keyPath`, if any.
    ///
    /// - Complexity: O(1).
    func place(of keyPath: AnyKeyPath) -> Int? {
        let entry = entries[position(of: Self.address(keyPath))]
        return entry.address == 0 ? nil : entry.place
    }

    /// Notes the place of a key path that is not in the table yet.
    func insert(_ keyPath: AnyKeyPath, place: Int) {
        keyPaths.append(keyPath)
        if keyPaths.count * 2 > entries.count { grow() }
        let address = Self.address(keyPath)
        entries[position(of: address)] = Entry(address: address, place: place)
    }

    private func grow() {
        let old = entries
        entries = .allocate(capacity: old.count * 2)
        entries.initialize(repeating: Entry(address: 0, place: 0))
        for entry in old where entry.address != 0 { entries[position(of: entry.address)] = entry }
        old.deallocate()
    }
}
