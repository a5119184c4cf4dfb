extension TerminalText {
    /// Returns the number of columns that a terminal uses for a text: 2 for a wide character, 0 for a
    /// combining mark.
    ///
    /// - Parameter text: A text after ``escaped(_:keepingLineBreaks:)``.
    /// - Complexity: O(*n*).
    package static func width(of text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns the number of columns of a user-perceived character: the sum over its scalars, as in
    /// `wcwidth`, but 2 for an emoji of any number of scalars.
    static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1 { return width(of: first) }
        let isEmoji = scalars.contains { scalar in
            scalar.properties.isEmojiPresentation
                || (scalar == "\u{FE0F}" && first.properties.isEmoji && first.value > 0x7F)
        }
        return isEmoji ? 2 : scalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value == 0 ? 0 : 1 }
        if isConjoiningJamo(scalar) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        return isWide(scalar) || scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// Returns whether a scalar is a vowel or a final consonant of a decomposed Korean syllable, which joins
    /// the consonant before it.
    private static func isConjoiningJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
    }

    /// Returns whether a scalar has East Asian width W or F, emoji aside. Whole blocks are listed, because
    /// their unassigned scalars will be wide. Source: Unicode Standard Annex 11, East Asian Width.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F: true  // Hangul Jamo, leading consonants
        case 0x2329...0x232A: true  // angle brackets
        case 0x2630...0x2637, 0x268A...0x268F: true  // trigrams, monograms and digrams
        case 0x2E80...0x303E: true  // CJK radicals, Kangxi, CJK symbols and punctuation
        case 0x3248...0x324F: false  // circled numbers on black squares: ambiguous
        case 0x3041...0x4DFF: true  // Kana, Bopomofo, Hangul compatibility, CJK extension A, hexagrams
        case 0x4E00...0xA4CF: true  // CJK unified ideographs, Yi
        case 0xA960...0xA97F: true  // Hangul Jamo extended A
        case 0xAC00...0xD7A3: true  // Hangul syllables
        case 0xF900...0xFAFF: true  // CJK compatibility ideographs
        case 0xFE10...0xFE19, 0xFE30...0xFE6F: true  // vertical and small forms
        case 0xFF01...0xFF60, 0xFFE0...0xFFE6: true  // full-width forms
        case 0x16FE0...0x18DFF: true  // Tangut, Khitan
        case 0x1AFF0...0x1B2FF: true  // Kana extensions, Nushu
        case 0x1D300...0x1D376: true  // Tai Xuan Jing symbols, counting rods
        case 0x1F200...0x1F265: true  // enclosed ideographs
        case 0x20000...0x3FFFD: true  // CJK extensions
        default: false
        }
    }
}
