extension String {
    /// The text as an SQL literal: in single quotes, with single quotes in the text doubled. The text must
    /// not contain NUL, which a literal cannot represent; names never contain it.
    package var quotedLiteral: String { quoted(by: "'") }

    /// The name as an SQL identifier: in double quotes, with double quotes in the name doubled.
    package var quotedIdentifier: String { quoted(by: "\"") }

    /// Returns the text between two quotes, with the same quotes in the text doubled.
    ///
    /// SQLite reads bytes: for SQLite, a quote before a combining mark is a quote; for Swift, the two
    /// together are another character.
    package func quoted(by quote: Unicode.Scalar) -> String {
        guard utf8.contains(UInt8(ascii: quote)) else { return "\(quote)\(self)\(quote)" }
        var result = String(quote)
        for scalar in unicodeScalars {
            if scalar == quote { result.unicodeScalars.append(quote) }
            result.unicodeScalars.append(scalar)
        }
        result.unicodeScalars.append(quote)
        return result
    }
}
