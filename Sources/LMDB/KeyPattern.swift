/// What a caller's keys look like, by which its data files are told from those of other programs: LMDB calls
/// all of them the same.
package struct KeyPattern: Hashable, Sendable {
    /// The bytes of a key.
    package let byteCount: Int
    /// The place of a byte that is always the same.
    package let position: Int
    /// That byte.
    package let byte: UInt8

    /// Makes a form.
    package init(byteCount: Int, position: Int, byte: UInt8) {
        self.byteCount = byteCount
        self.position = position
        self.byte = byte
    }

    func isFormOf(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count == byteCount && key.indices.contains(position) && key[position] == byte
    }
}
