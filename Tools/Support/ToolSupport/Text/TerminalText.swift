/// Functions that make text from files safe to print, and measure its width on a terminal.
package enum TerminalText {
    /// Returns a text in which all characters are escaped that would control a terminal or reorder the line.
    ///
    /// Control characters of both sets, line and paragraph separators, the marks that embed, override,
    /// isolate or imply a direction of writing (Unicode's property `Bidi_Control`), and the deprecated ones
    /// that change the shapes of letters and digits are written as in a Swift literal: `\n`, `\u{1B}`. A
    /// backslash is not escaped, because the text is for display only; JSON output is exact.
    ///
    /// Zero-width characters are kept: emoji and the scripts of India and Persia need joiners, and none of
    /// them moves adjacent text.
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

    /// Returns whether a terminal would interpret a scalar instead of showing it.
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

    /// Returns the longest prefix of a text that fits a number of columns, with `…` at the end if the text is
    /// cut.
    ///
    /// - Parameter text: A text after ``escaped(_:keepingLineBreaks:)``.
    /// - Complexity: O(*n*) in the characters that fit.
    package static func shortened(_ text: String, to columns: Int) -> String {
        // An ASCII text has one column for each byte.
        if text.utf8.count <= columns, text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var used = 0
        var end = text.startIndex
        // The end of the longest prefix that leaves a column for the ellipsis.
        var cut = text.startIndex
        while end < text.endIndex {
            used += width(of: text[end])
            if used > columns { return columns < 1 ? "" : text[..<cut] + "…" }
            end = text.index(after: end)
            if used <= columns - 1 { cut = end }
        }
        return text
    }

    /// Returns a text padded with spaces, after or before it, to a number of columns. A wider text is
    /// unchanged.
    package static func padded(_ text: String, to columns: Int, atEnd: Bool = true) -> String {
        let spaces = String(repeating: " ", count: max(0, columns - width(of: text)))
        return atEnd ? text + spaces : spaces + text
    }

    /// Returns a text that is shortened or padded to exactly a number of columns, even if a wide character
    /// would cross the last one.
    package static func fitted(_ text: String, to columns: Int) -> String {
        padded(shortened(text, to: columns), to: columns)
    }
}
