/// The names of the fields of a file's records, in the order in which they appeared.
struct JSONFieldNames {
    /// The names as text.
    private(set) var names: [String] = []
    private var bytes: [[UInt8]] = []
    private var positions: [[UInt8]: Int] = [:]

    /// The number of names.
    var count: Int { bytes.count }

    /// The position of a name.
    ///
    /// - Parameter guess: Where to look first: records mostly have their fields in one order.
    func position(of name: [UInt8], guess: Int) -> Int? {
        if guess < bytes.count, bytes[guess] == name { return guess }
        return positions[name]
    }

    /// Adds a name that is not there yet.
    mutating func append(_ name: [UInt8]) -> Int {
        let position = bytes.count
        positions[name] = position
        bytes.append(name)
        names.append(String(decoding: name, as: UTF8.self))
        return position
    }

    /// Takes back the names from a position on: those of a record that turned out bad.
    mutating func truncate(to count: Int) {
        for name in bytes[count...] { positions[name] = nil }
        bytes.removeSubrange(count...)
        names.removeSubrange(count...)
    }
}

/// The fields of one record.
struct JSONRecord {
    /// Where a field's text lies in `text`.
    private enum Place {
        case absent
        case null
        case text(Range<Int>)
    }

    /// The line on which the record begins.
    var line = 1
    /// The texts, one behind the other.
    var text: [UInt8] = []
    private var places: [Place] = []

    /// Makes it an empty record, keeping the memory.
    mutating func reset(line: Int) {
        self.line = line
        text.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Sets a field to a part of the text, or to nothing; false if it is there already.
    mutating func set(_ position: Int, to range: Range<Int>?) -> Bool {
        while places.count <= position { places.append(.absent) }
        guard case .absent = places[position] else { return false }
        places[position] = range.map(Place.text) ?? .null
        return true
    }

    /// Lends the bytes of a field; nil for `null` and for a field that is not there.
    func withBytes<Result>(ofField field: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard field < places.count, case .text(let range) = places[field] else { return body(nil) }
        return text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}

/// The keys of the objects that are open, to find one that is there twice.
struct JSONOpenKeys {
    private var hashes: [UInt64] = []
    private var ends: [Int] = []
    private var text: [UInt8] = []

    /// The number of keys of all open objects.
    var count: Int { hashes.count }

    /// Adds a key to the innermost object, whose keys begin at a position; false if it has it already.
    ///
    /// - Complexity: O(*n*) in the object's keys, of which there are at most ``RecordLimits/fieldCount``.
    mutating func insert(_ key: ArraySlice<UInt8>, objectStart: Int) -> Bool {
        // FNV-1a: only a filter before the comparison, so a collision costs time and nothing else.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for position in objectStart..<hashes.count where hashes[position] == hash {
            if text[start(position)..<ends[position]] == key { return false }
        }
        hashes.append(hash)
        text.append(contentsOf: key)
        ends.append(text.count)
        return true
    }

    /// Forgets the keys from a position on: an object was closed.
    mutating func truncate(to count: Int) {
        text.removeLast(text.count - start(count))
        hashes.removeLast(hashes.count - count)
        ends.removeLast(ends.count - count)
    }

    private func start(_ position: Int) -> Int { position == 0 ? 0 : ends[position - 1] }
}
