import Foundation
package import SectionedFetch

/// Keys as they are written on the command line: `title`, `artist.name`, `letter:title:sv:apart`,
/// `month:added:Europe/Berlin`, `range:price:step=10`.
package enum KeySyntax {
    /// The syntax of keys, for `--help`.
    package static let help =
        """
        A key is a property (department), a property of a related object (artist.name), an aggregate of related objects (albums.@count, albums.@sum.price), or one of:
        letter:PROPERTY[:LOCALE][:apart] for the first letter;
        index:PROPERTY[:LOCALE] for the letter of an alphabetic index, without regard to leading blanks and marks; for the locale zh, the letter of the pinyin;
        folded:PROPERTY for a text without regard to case and accents, so that ABBA and Abba are one section;
        year:PROPERTY[:ZONE], and likewise decade, quarter, month, week and day, for a date, in UTC unless a time zone is given;
        range:PROPERTY:step=NUMBER for ranges of numbers of equal length;
        range:PROPERTY:bounds=NUMBER/NUMBER/… for ranges between bounds; each includes its lower and excludes its upper bound.
        """

    /// Reads a section key.
    ///
    /// - Throws: ``SyntaxFailure`` that names the invalid part.
    package static func expression(
        _ text: String, _ names: PropertyNames = .none
    ) throws(SyntaxFailure) -> KeyExpression {
        var words = PropertyNames.split(text, at: ":")[...]
        let expression = try takeExpression(from: &words, of: text, names)
        if let word = words.first {
            throw SyntaxFailure("“\(text)”: \(refusal(of: word, after: expression))")
        }
        return expression
    }

    /// Returns the sentence about a word after a key that the key does not take.
    private static func refusal(of word: String, after key: KeyExpression) -> String {
        guard case .value = key.function else {
            return
                "unknown option “\(word)” after the key. --help describes the options of each form of a key."
        }
        let forms = Function.allCases.map(\.rawValue)
        return
            "“\(key.path)” is not a form of keys; the forms are \(forms.dropLast().joined(separator: ", ")) and \(forms.last ?? ""), as in year:PROPERTY. If “\(key.path)” is the property, “\(word)” is an unknown option."
    }

    /// Reads section keys separated by commas.
    ///
    /// - Throws: ``SyntaxFailure`` that names the invalid part.
    package static func expressions(
        _ text: String, _ names: PropertyNames = .none
    ) throws(SyntaxFailure) -> [KeyExpression] {
        var expressions: [KeyExpression] = []
        for part in PropertyNames.split(text, at: ",") {
            // A space after a comma is not part of a key.
            let part = expressions.isEmpty ? part : String(part.drop { $0 == " " })
            expressions.append(try expression(part, names))
        }
        return expressions
    }

    /// Removes a key from the front of words that were separated by colons, and returns it.
    static func takeExpression(
        from words: inout ArraySlice<String>, of text: String, _ names: PropertyNames
    ) throws(SyntaxFailure) -> KeyExpression {
        if let path = names.takePath(from: &words, atLeast: 2) { return .path(path) }
        let first = words.removeFirst()
        guard let word = words.first, let function = Function(rawValue: first),
            let path = names.takePath(from: &words) ?? takeWord(word, from: &words)
        else {
            guard !first.isEmpty else {
                throw SyntaxFailure(
                    "“\(text)”: the key is missing. Write a property, or a form and a property, such as year:PROPERTY."
                )
            }
            return .path(names.contains(first) ? first : PropertyNames.unquoted(first))
        }
        guard !path.isEmpty else {
            throw SyntaxFailure(
                "“\(text)”: the property after “\(first)” is missing. Write \(first):PROPERTY.")
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
                of: path, in: locale ?? Locale(identifier: "en"), diacritics: isApart ? .apart : .together
            )
        case .index:
            guard let word = words.first, isLocale(word) else { return .indexLetter(of: path) }
            words.removeFirst()
            return .indexLetter(of: path, in: try LocaleArgument.locale(word, in: text))
        case .folded: return .foldedText(of: path)
        case .year: return .year(of: path, in: try takeTimeZone(from: &words, of: text))
        case .month: return .month(of: path, in: try takeTimeZone(from: &words, of: text))
        case .day: return .day(of: path, in: try takeTimeZone(from: &words, of: text))
        case .week: return .week(of: path, in: try takeTimeZone(from: &words, of: text))
        case .quarter: return .quarter(of: path, in: try takeTimeZone(from: &words, of: text))
        case .decade: return .decade(of: path, in: try takeTimeZone(from: &words, of: text))
        case .range: return try takeRange(of: path, from: &words, text)
        }
    }

    private enum Function: String, CaseIterable {
        case letter, index, folded, year, month, day, week, quarter, decade, range
    }

    /// Removes the property at the front of words and returns it without quotes; nil for an option.
    private static func takeWord(_ word: String, from words: inout ArraySlice<String>) -> String? {
        guard PropertyNames.isQuoted(word) || isPath(word) else { return nil }
        words.removeFirst()
        return PropertyNames.unquoted(word)
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
                "“\(text)”: unknown time zone “\(word)”. Write a time zone such as Europe/Berlin or UTC.")
        }
        words.removeFirst()
        return timeZone
    }

    private static func takeRange(
        of path: String, from words: inout ArraySlice<String>, _ text: String
    ) throws(SyntaxFailure) -> KeyExpression {
        let word = words.popFirst() ?? ""
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, ["step", "bounds"].contains(parts[0]) else {
            throw SyntaxFailure(
                "“\(text)”: the ranges are missing. Write range:\(path):step=10 or range:\(path):bounds=10/20/50."
            )
        }
        var numbers: [Decimal] = []
        for number in parts[1].split(separator: "/", omittingEmptySubsequences: false) {
            guard let decimal = decimal(number) else {
                throw SyntaxFailure("“\(text)”: “\(number)” is not a number of up to 38 digits.")
            }
            numbers.append(decimal)
        }
        guard parts[0] == "step" else { return .range(of: path, bounds: numbers) }
        guard numbers.count == 1, numbers[0] > 0 else {
            throw SyntaxFailure("“\(text)”: the step must be one number above 0.")
        }
        return .range(of: path, step: numbers[0])
    }

    /// Returns the number in a text of digits; `Decimal` alone would read `1x` as 1, and round long numbers.
    private static func decimal(_ text: Substring) -> Decimal? {
        let digits = text.utf8.count { (0x30...0x39).contains($0) }
        let isWritten = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
        guard isWritten, Double(text) != nil, digits <= 38 else { return nil }
        return Decimal(string: String(text))
    }
}
