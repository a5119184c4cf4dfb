/// A pattern of a caller's keys, which distinguishes its data files from those of other programs with the
/// same file name.
package struct KeyPattern: Hashable, Sendable {
    /// The length of a key, in bytes.
    package let byteCount: Int
    /// The position of a byte with a fixed value.
    package let position: Int
    /// The value of that byte.
    package let byte: UInt8

    /// Creates a pattern.
    package init(byteCount: Int, position: Int, byte: UInt8) {
        self.byteCount = byteCount
        self.position = position
        self.byte = byte
    }

    /// Returns whether a key matches the pattern.
    func isFormOf(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count == byteCount && key.indices.contains(position) && key[position] == byte
    }
}
