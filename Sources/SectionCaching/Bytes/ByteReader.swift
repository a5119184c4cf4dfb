/// A reader of the output of ``ByteWriter``, which never reads beyond the end.
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
