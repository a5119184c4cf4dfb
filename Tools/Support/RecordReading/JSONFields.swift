/// The names of the fields of a file's records, in the order of their first appearance.
struct JSONFieldNames {
    /// The names as text.
    private(set) var names: [String] = []
    private var bytes: [[UInt8]] = []
    private var positions: [[UInt8]: Int] = [:]

    /// The number of names.
    var count: Int { bytes.count }

    /// Returns the position of a name.
    ///
    /// - Parameter guess: The position to compare first. Most records have their fields in the same order.
    func position(of name: [UInt8], guess: Int) -> Int? {
        if guess < bytes.count, bytes[guess] == name { return guess }
        return positions[name]
    }

    /// Adds a new name and returns its position.
    mutating func append(_ name: [UInt8]) -> Int {
        let position = bytes.count
        positions[name] = position
        bytes.append(name)
        names.append(String(decoding: name, as: UTF8.self))
        return position
    }

    /// Removes the names from a position on, after a bad record that added them.
    mutating func truncate(to count: Int) {
        for name in bytes[count...] { positions[name] = nil }
        bytes.removeSubrange(count...)
        names.removeSubrange(count...)
    }
}

/// The fields of one record.
struct JSONRecord {
    /// The value of a field, as a range of `text`.
    private enum Value {
        case absent
        case null
        case text(Range<Int>, FieldKind)
    }

    /// The line on which the record begins.
    var line = 1
    /// The texts of all fields, one after the other.
    var text: [UInt8] = []
    private var values: [Value] = []

    /// Removes all fields, keeping the allocated memory.
    mutating func reset(line: Int) {
        self.line = line
        text.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Sets a field to a part of the text, or to null, and returns false if the field is already set.
    mutating func set(_ position: Int, to range: Range<Int>?, kind: FieldKind) -> Bool {
        while values.count <= position { values.append(.absent) }
        guard case .absent = values[position] else { return false }
        values[position] = range.map { .text($0, kind) } ?? .null
        return true
    }

    /// Returns whether a field is present, also if it is `null`.
    func hasField(_ field: Int) -> Bool {
        guard field < values.count, case .absent = values[field] else { return field < values.count }
        return false
    }

    /// Lends the bytes of a field, or nil for `null` and for an absent field.
    func withBytes<Result>(ofField field: Int, _ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        guard field < values.count, case .text(let range, _) = values[field] else { return body(nil) }
        return text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Returns the kind of a field's value.
    func kind(ofField field: Int) -> FieldKind {
        guard field < values.count, case .text(_, let kind) = values[field] else { return .untyped }
        return kind
    }
}

/// The keys of all open objects, for the detection of duplicate keys.
struct JSONOpenKeys {
    private var hashes: [UInt64] = []
    private var ends: [Int] = []
    private var text: [UInt8] = []

    /// The number of keys of all open objects.
    var count: Int { hashes.count }

    /// Adds a key to the innermost object, whose keys begin at `objectStart`, and returns false if the object
    /// already has the key.
    ///
    /// - Complexity: O(*n*) in the object's keys, of which there are at most ``RecordLimits/fieldCount``.
    mutating func insert(_ key: ArraySlice<UInt8>, objectStart: Int) -> Bool {
        // FNV-1a: only a filter before the comparison, so a collision costs only time.
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

    /// Removes the keys from a position on, after the end of an object.
    mutating func truncate(to count: Int) {
        text.removeLast(text.count - start(count))
        hashes.removeLast(hashes.count - count)
        ends.removeLast(ends.count - count)
    }

    private func start(_ position: Int) -> Int { position == 0 ? 0 : ends[position - 1] }
}
