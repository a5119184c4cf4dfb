/// Writes integers in little-endian byte order, which all stored data use, and counted bytes.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// Appends the count in four bytes, then the bytes.
    mutating func appendCounted(_ value: [UInt8]) {
        append(UInt32(value.count))
        append(value)
    }

    /// Appends zeros up to a multiple of eight bytes.
    mutating func align() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }

    mutating func replace(at offset: Int, with value: [UInt8]) {
        bytes.replaceSubrange(offset..<offset + value.count, with: value)
    }
}

/// Reads the output of ``ByteWriter``, never beyond the end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func read<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        let size = MemoryLayout<Integer>.size
        guard offset >= 0, bytes.count - offset >= size else { return nil }
        defer { offset += size }
        return bytes.withUnsafeBytes {
            Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self))
        }
    }

    mutating func read(count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, offset >= 0, bytes.count - offset >= count else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    mutating func readCounted() -> ArraySlice<UInt8>? {
        read(UInt32.self).flatMap { read(count: Int($0)) }
    }
}
