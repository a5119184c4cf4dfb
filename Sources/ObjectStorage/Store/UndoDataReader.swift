/// Bytes from which numbers and values are read.
struct UndoDataReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    private mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    private mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = byte() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        return nil
    }

    mutating func count() -> Int? { number().flatMap { Int(exactly: $0) } }

    mutating func signed() -> Int64? {
        number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    mutating func word() -> UInt32? {
        take(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    mutating func update() -> UndoRows.Update? {
        guard let key = signed(), let fingerprint = word(), let count = count() else { return nil }
        var earlier: [(column: Int, value: StoredValue)] = []
        for _ in 0..<count {
            guard let column = self.count(), let value = value() else { return nil }
            earlier.append((column, value))
        }
        return UndoRows.Update(key: key, fingerprint: fingerprint, earlier: earlier)
    }

    private mutating func value() -> StoredValue? {
        switch byte() {
        case 0: return .null
        case 1: return signed().map { .integer($0) }
        case 2:
            return take(8).map {
                .real(Double(bitPattern: $0.reversed().reduce(0) { $0 << 8 | UInt64($1) }))
            }
        case 3: return count().flatMap { take($0) }.map { .text(String(decoding: $0, as: UTF8.self)) }
        case 4: return count().flatMap { take($0) }.map { .blob(Array($0)) }
        default: return nil
        }
    }
}
