/// Text out of files made safe to print and measured as a terminal shows it.
package enum TerminalText {
    /// The text with everything escaped that would command a terminal or reorder the line it stands in.
    ///
    /// Control characters of both sets, line and paragraph separators, the marks that embed, override,
    /// isolate or lend a direction of writing (Unicode's property `Bidi_Control`), and the deprecated ones
    /// that change the shapes of letters and digits are written as in a Swift literal: `\n`, `\u{1B}`. A
    /// backslash stays as it is, because this is for people; JSON output is exact.
    ///
    /// Characters of no width stay: emoji and the scripts of India and Persia need joiners, and none of them
    /// moves what stands beside it.
    package static func escaped(_ text: some StringProtocol, keepingLineBreaks: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return String(text) }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isUnsafe(scalar) || (keepingLineBreaks && scalar == "\n") {
                result.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
            }
        }
        return String(result)
    }

    /// Whether a terminal would obey the scalar rather than show it.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        // Bidi_Control (Unicode Standard Annex 9, section 2).
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        // Inhibit and activate symmetric swapping, Arabic form shaping and national digit shapes.
        case 0x206A...0x206F: true
        default: false
        }
    }

    /// The beginning of the text that fits into so many columns, with `…` at the end if anything is left out.
    ///
    /// - Parameter text: Text that was ``escaped(_:keepingLineBreaks:)``.
    /// - Complexity: O(*n*) in the characters that fit.
    package static func shortened(_ text: String, to columns: Int) -> String {
        // Nothing is wider than two columns a scalar or longer in bytes than its scalars.
        if text.utf8.count <= columns, text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var used = 0
        var end = text.startIndex
        // The end of the longest beginning that leaves room for the sign.
        var cut = text.startIndex
        while end < text.endIndex {
            used += width(of: text[end])
            if used > columns { return columns < 1 ? "" : text[..<cut] + "…" }
            end = text.index(after: end)
            if used <= columns - 1 { cut = end }
        }
        return text
    }

    /// The text followed, or preceded, by spaces up to so many columns. Text that is wider stays as it is.
    package static func padded(_ text: String, to columns: Int, atEnd: Bool = true) -> String {
        let spaces = String(repeating: " ", count: max(0, columns - width(of: text)))
        return atEnd ? text + spaces : spaces + text
    }

    /// The text shortened or followed by spaces, so that it takes just so many columns, also where a wide
    /// character would cross the last of them.
    package static func fitted(_ text: String, to columns: Int) -> String {
        padded(shortened(text, to: columns), to: columns)
    }
}
