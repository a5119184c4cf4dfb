/// Bytes that are not UTF-8: overlong forms, lone surrogates, code points beyond Unicode, and truncated
/// sequences.
enum BadText {
    static let sequences: [[UInt8]] = [
        [0x80], [0xFF], [0xC0, 0x80], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82],
        [0xED, 0xA0, 0x80],
        [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]

    /// Returns whether bytes begin with a character, according to the standard library.
    static func beginsWithCharacter(_ bytes: ArraySlice<UInt8>) -> Bool {
        (1...4).contains { String(validating: bytes.prefix($0), as: UTF8.self) != nil } && !bytes.isEmpty
    }
}
