/// The characters at the beginning of a text that an alphabetic index ignores: blanks, punctuation,
/// apostrophes and the signs by which romanization writes consonants, such as ʻ and ʿ.
package enum LeadingMarks {
    /// Returns the text without its leading marks, given as UTF-8; empty for a text that has nothing else.
    ///
    /// - Complexity: O(*m*) in the number of marks, and a comparison for a text that begins with an ASCII
    ///   letter.
    package static func skipping(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let first = text.first, !isASCIILetterOrDigit(first) else { return text }
        var count = 0
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = text.makeIterator()
        while case .valid(let encoded) = parser.parseScalar(from: &bytes),
            isIgnored(Unicode.UTF8.decode(encoded), isFirst: count == 0)
        {
            count += encoded.count
        }
        return UnsafeRawBufferPointer(rebasing: text[count...])
    }

    private static func isASCIILetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isIgnored(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        if scalar.properties.isWhitespace || apostrophes.contains(scalar.value) { return true }
        switch scalar.properties.generalCategory {
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .dashPunctuation,
            .connectorPunctuation, .otherPunctuation, .control, .format:
            return true
        // The marks of an ignored character.
        case .nonspacingMark, .enclosingMark: return !isFirst
        default: return false
        }
    }

    /// The acute and grave accents that are typed as apostrophes, and the modifier letters that represent
    /// apostrophes, ʿayn and hamza, and palatalization.
    private static let apostrophes: Set<UInt32> = [
        0x60, 0xB4, 0x2B9, 0x2BA, 0x2BB, 0x2BC, 0x2BD, 0x2BE, 0x2BF, 0x2C0, 0x2C1, 0x2C8, 0x2CA, 0x2CB,
        0x2EE, 0xA78B, 0xA78C,
    ]
}
