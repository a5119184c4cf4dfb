/// Finds a property's place by the key path of its wrapper's storage, in a few nanoseconds.
///
/// The compiler passes the same key path object on every access from one place in the code, so the object's address
/// identifies the property. Each entry keeps its key path alive: an address in the table cannot come to mean another.
struct PropertyStorageTable {
    private var addresses: [UInt] = Array(repeating: 0, count: 16)
    private var places: [Int] = Array(repeating: 0, count: 16)
    private var keyPaths: [AnyKeyPath] = []

    private static func address(_ keyPath: AnyKeyPath) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    }

    private func slot(for address: UInt) -> Int {
        let hash = (address >> 4) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash >> 32) & (addresses.count - 1)
    }

    /// The place noted for `keyPath`, if any.
    ///
    /// - Complexity: O(1).
    func place(of keyPath: AnyKeyPath) -> Int? {
        let address = Self.address(keyPath)
        var slot = slot(for: address)
        while addresses[slot] != address {
            if addresses[slot] == 0 { return nil }
            slot = (slot + 1) & (addresses.count - 1)
        }
        return places[slot]
    }

    /// Notes the place of a key path that is not in the table yet.
    mutating func insert(_ keyPath: AnyKeyPath, place: Int) {
        keyPaths.append(keyPath)
        if keyPaths.count * 2 > addresses.count { grow() }
        write(Self.address(keyPath), place)
    }

    private mutating func write(_ address: UInt, _ place: Int) {
        var slot = slot(for: address)
        while addresses[slot] != 0 { slot = (slot + 1) & (addresses.count - 1) }
        addresses[slot] = address
        places[slot] = place
    }

    private mutating func grow() {
        let entries = zip(addresses, places).filter { $0.0 != 0 }
        addresses = Array(repeating: 0, count: addresses.count * 2)
        places = Array(repeating: 0, count: addresses.count)
        for (address, place) in entries { write(address, place) }
    }
}
