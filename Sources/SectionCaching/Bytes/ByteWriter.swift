/// A writer of counted bytes, and of integers in little-endian byte order, which all stored data use.
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
