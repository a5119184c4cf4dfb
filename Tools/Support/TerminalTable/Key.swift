/// A key press.
package enum Key: Hashable, Sendable {
    /// A key that types a character.
    case character(Character)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, backspace, escape
    /// Ctrl-C.
    case interrupt
    /// Ctrl-L.
    case redraw
    /// Ctrl-Z.
    case suspend
}

/// A decoder of the bytes that a terminal sends for key presses.
///
/// A key may be several bytes, and they may arrive in pieces. The escape key sends the byte with which
/// sequences begin, so it is recognized only if no byte follows for some time: then call ``finish()``.
package struct KeyDecoder {
    private var waiting: [UInt8] = []

    /// Creates a decoder without pending bytes.
    package init() {}

    /// Whether bytes of an incomplete key are pending.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Adds bytes and returns the complete keys.
    package mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        waiting.append(contentsOf: bytes)
        var keys: [Key] = []
        while let (key, length) = next() {
            waiting.removeFirst(length)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// Ends an incomplete key: a single escape byte is the escape key, and other incomplete bytes are
    /// discarded.
    package mutating func finish() -> [Key] {
        defer { waiting = [] }
        return waiting == [0x1B] ? [.escape] : []
    }

    /// Returns the first pending key and its length in bytes, with a nil key for bytes without a meaning, or
    /// returns nil if more bytes are needed.
    private func next() -> (key: Key?, length: Int)? {
        guard let first = waiting.first else { return nil }
        switch first {
        case 0x03: return (.interrupt, 1)
        case 0x0C: return (.redraw, 1)
        case 0x1A: return (.suspend, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x1B: return sequence()
        case 0x00..<0x20: return (nil, 1)
        default: return character(first)
        }
    }

    private func character(_ first: UInt8) -> (key: Key?, length: Int)? {
        let length =
            switch first {
            case ..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        guard length > 0 else { return (nil, 1) }
        guard waiting.count >= length else { return nil }
        guard let text = String(validating: waiting.prefix(length), as: UTF8.self), let character = text.first
        else { return (nil, 1) }
        return (.character(character), length)
    }

    /// Returns the key of an ECMA-48 sequence: `ESC [`, parameters and a final byte; or `ESC O` and one byte,
    /// as keypads send it.
    private func sequence() -> (key: Key?, length: Int)? {
        guard waiting.count > 1 else { return nil }
        switch waiting[1] {
        case UInt8(ascii: "O"):
            return waiting.count > 2 ? (Self.key(final: waiting[2], parameter: ""), 3) : nil
        case UInt8(ascii: "["):
            guard let end = waiting.dropFirst(2).firstIndex(where: { !(0x20..<0x40).contains($0) }) else {
                return nil
            }
            let parameter = waiting[2..<end].prefix { $0 != UInt8(ascii: ";") }
            return (
                Self.key(final: waiting[end], parameter: String(decoding: parameter, as: UTF8.self)), end + 1
            )
        default: return (.escape, 1)
        }
    }

    private static func key(final: UInt8, parameter: String) -> Key? {
        switch (Unicode.Scalar(final), parameter) {
        case ("A", _): .up
        case ("B", _): .down
        case ("C", _): .right
        case ("D", _): .left
        case ("H", _), ("~", "1"), ("~", "7"): .home
        case ("F", _), ("~", "4"), ("~", "8"): .end
        case ("~", "5"): .pageUp
        case ("~", "6"): .pageDown
        default: nil
        }
    }
}
