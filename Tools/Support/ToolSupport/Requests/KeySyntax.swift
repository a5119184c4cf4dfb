import Foundation
package import SectionedFetch

/// Keys as they are written on the command line: `title`, `artist.name`, `letter:title:sv:apart`,
/// `month:added:Europe/Berlin`.
package enum KeySyntax {
    /// The syntax of keys, for `--help`.
    package static let help =
        "A key is a property (department), a property of a related object (artist.name), letter:PROPERTY[:LOCALE][:apart] for the first letter, or year:PROPERTY[:ZONE] or month:PROPERTY[:ZONE] for a date, in UTC unless a time zone is given."

    /// Reads a section key.
    ///
    /// - Throws: ``SyntaxFailure`` that names the invalid part.
    package static func expression(_ text: String) throws(SyntaxFailure) -> KeyExpression {
        var words = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)[...]
        let expression = try takeExpression(from: &words, of: text)
        if let word = words.first {
            throw SyntaxFailure("“\(text)”: unknown option “\(word)” after the key. \(help)")
        }
        return expression
    }

    /// Removes a key from the front of words that were separated by colons, and returns it.
    static func takeExpression(
        from words: inout ArraySlice<String>, of text: String
    ) throws(SyntaxFailure) -> KeyExpression {
        let first = words.removeFirst()
        guard let path = words.first, isPath(path), let function = Function(rawValue: first) else {
            guard !first.isEmpty else { throw SyntaxFailure("“\(text)”: the key is missing. \(help)") }
            return .path(first)
        }
        words.removeFirst()
        guard !path.isEmpty else {
            throw SyntaxFailure("“\(text)”: the property after “\(first)” is missing. \(help)")
        }
        switch function {
        case .letter:
            var locale: Locale?
            if let word = words.first, word != "apart", isLocale(word) {
                locale = try LocaleArgument.locale(word, in: text)
                words.removeFirst()
            }
            let isApart = words.first == "apart"
            if isApart { words.removeFirst() }
            return .firstLetter(
                of: path, locale: locale ?? Locale(identifier: "en"), diacritics: isApart ? .apart : .together
            )
        case .year: return .year(of: path, in: try takeTimeZone(from: &words, of: text))
        case .month: return .month(of: path, in: try takeTimeZone(from: &words, of: text))
        }
    }

    private enum Function: String {
        case letter, year, month
    }

    /// Returns whether a word can be a property, a locale or a time zone rather than an option, so that a
    /// list can also be sorted by an attribute called `year`: `year:nulls=last`.
    private static func isPath(_ word: String) -> Bool { !word.contains("=") && word != "nocase" }

    /// Returns whether a word can be a locale, which may have keywords: `de@collation=phonebook`.
    private static func isLocale(_ word: String) -> Bool { isPath(word) || word.contains("@") }

    private static func takeTimeZone(
        from words: inout ArraySlice<String>, of text: String
    ) throws(SyntaxFailure) -> TimeZone {
        guard let word = words.first, isPath(word) else { return .gmt }
        guard let timeZone = TimeZone(identifier: word) else {
            throw SyntaxFailure(
                "“\(text)”: unknown time zone “\(word)”. Write one such as Europe/Berlin or UTC.")
        }
        words.removeFirst()
        return timeZone
    }
}
