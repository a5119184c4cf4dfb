extension TerminalText {
    /// Returns the lines of a text in a limited width. Lines are broken at blanks, or inside words that are
    /// wider than a line; line breaks of the text are kept.
    ///
    /// - Parameters:
    ///   - text: Any text; it is escaped.
    ///   - columns: The width of a line, in columns of the terminal; at least one character is on each line.
    /// - Complexity: O(*n*).
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            wrappedLine(escaped(line), to: max(1, columns))
        }
    }

    private static func wrappedLine(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var start = text.startIndex
        while start < text.endIndex {
            var (end, used) = (start, 0)
            // The end of the last word that fits, and the beginning of the next one.
            var wordEnd: (end: String.Index, next: String.Index)?
            while end < text.endIndex {
                let next = text.index(after: end)
                if text[end] == " ", end > start { wordEnd = (end, next) }
                used += width(of: text[end])
                if used > columns, end > start { break }
                end = next
            }
            if end < text.endIndex, let wordEnd, text[end] != " " {
                lines.append(String(text[start..<wordEnd.end]))
                start = wordEnd.next
            } else {
                lines.append(String(text[start..<end]))
                start = end < text.endIndex && text[end] == " " ? text.index(after: end) : end
            }
        }
        return lines.isEmpty ? [""] : lines
    }
}
