/// A filter of XML that escapes each `&` that begins no reference, so that it is read as a plain character.
///
/// Comments, sections of character data and processing instructions are left as they are, as are references
/// to characters and to the five entities that XML defines.
struct AmpersandRepair {
    private enum State {
        case text, comment, data, instruction
    }

    /// The number of escaped characters.
    private(set) var count = 0
    private var state = State.text
    /// The bytes whose meaning the next ones decide.
    private var held: [UInt8] = []

    /// The size of the longest text that decides: a reference to a character with leading zeros.
    private static let lookAhead = 16
    private static let references = ["amp;", "lt;", "gt;", "quot;", "apos;"].map { Array($0.utf8) }
    private static let begins: [(text: [UInt8], state: State)] = [
        (Array("<!--".utf8), .comment), (Array("<![CDATA[".utf8), .data), (Array("<?".utf8), .instruction),
    ]

    /// Returns the next bytes of the document. Some may be held back until the next call.
    ///
    /// - Parameter isLast: Whether no bytes follow.
    mutating func repaired(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> [UInt8] {
        let input = held + bytes
        held = []
        var output: [UInt8] = []
        output.reserveCapacity(input.count + 64)
        var place = 0
        while place < input.count {
            let byte = input[place]
            if state == .text, byte != UInt8(ascii: "&"), byte != UInt8(ascii: "<") {
                output.append(byte)
                place += 1
                continue
            }
            if !isLast, input.count - place < Self.lookAhead {
                held = Array(input[place...])
                break
            }
            let rest = input[place...]
            if state == .text {
                if byte == UInt8(ascii: "<") {
                    if let begin = Self.begins.first(where: { rest.starts(with: $0.text) }) {
                        state = begin.state
                    }
                } else if !Self.isReference(rest.dropFirst()) {
                    count += 1
                    output += Array("&amp;".utf8)
                    place += 1
                    continue
                }
            } else if let end = ending, rest.starts(with: end) {
                output += end
                place += end.count
                state = .text
                continue
            }
            output.append(byte)
            place += 1
        }
        return output
    }

    private var ending: [UInt8]? {
        switch state {
        case .text: nil
        case .comment: Array("-->".utf8)
        case .data: Array("]]>".utf8)
        case .instruction: Array("?>".utf8)
        }
    }

    /// Returns whether the bytes after an `&` make it a reference.
    private static func isReference(_ text: ArraySlice<UInt8>) -> Bool {
        if references.contains(where: { text.starts(with: $0) }) { return true }
        guard text.first == UInt8(ascii: "#") else { return false }
        var digits = text.dropFirst().prefix(lookAhead - 2)
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        if isHexadecimal { digits = digits.dropFirst() }
        let number = digits.prefix {
            (0x30...0x39).contains($0) || isHexadecimal && (0x61...0x66).contains($0 | 0x20)
        }
        return !number.isEmpty && digits.dropFirst(number.count).first == UInt8(ascii: ";")
    }
}
