import SectionedFetch

/// The text of a condition, divided into the parts inside and outside quotes.
struct ConditionText {
    /// A run of characters: a text in quotes with them, a word, or one other character.
    private struct Run {
        let text: Substring.UnicodeScalarView
        let isQuoted: Bool
    }

    private let runs: [Run]

    /// Divides a text. A quote without a closing one, and an apostrophe inside a word, is a plain character.
    init(_ text: String) {
        var runs: [Run] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            let end: String.Index
            var isQuoted = false
            if scalar == "\"" || scalar == "'", let closing = Self.endOfQuotes(rest) {
                end = closing
                isQuoted = true
            } else if Self.isOfWord(scalar) {
                // A word that continues with an apostrophe is one word: Don't.
                end = rest.firstIndex { !Self.isOfWord($0) && $0 != "'" } ?? rest.endIndex
            } else {
                end = rest.index(after: rest.startIndex)
            }
            runs.append(Run(text: rest[..<end], isQuoted: isQuoted))
            rest = rest[end...]
        }
        self.runs = runs
    }

    private static func endOfQuotes(_ text: Substring.UnicodeScalarView) -> String.Index? {
        guard let quote = text.first else { return nil }
        var isEscaped = false
        for index in text.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if text[index] == "\\" {
                isEscaped = true
            } else if text[index] == quote {
                return text.index(after: index)
            }
        }
        return nil
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: scalar.value >= 0x80
        }
    }

    /// The keywords outside quotes.
    private var keywords: [PredicateKeyword] {
        runs.compactMap { $0.isQuoted ? nil : PredicateKeyword(String($0.text)) }
    }

    /// Whether conditions are joined or negated outside quotes, so that the text cannot be a short form.
    var joinsConditions: Bool {
        if keywords.contains(where: { [.and, .or, .not].contains($0) }) { return true }
        return zip(runs, runs.dropFirst()).contains { first, second in
            !first.isQuoted && !second.isQuoted && first.text.elementsEqual(second.text)
                && ["&", "|"].contains(String(first.text))
        }
    }

    /// Whether the text has words of the predicate language outside quotes, so that its errors explain the
    /// text better than those of the short form.
    var hasKeywords: Bool {
        joinsConditions || keywords.contains { $0.relation != nil || $0.quantifier != nil || $0 == .subquery }
    }

    /// The text with quotes around each date in ISO 8601 outside quotes, which would else be a difference of
    /// numbers.
    var withQuotedDates: String {
        var result = ""
        var plain = ""
        for run in runs {
            if run.isQuoted {
                result += Self.quotingDates(plain) + String(run.text)
                plain = ""
            } else {
                plain += String(run.text)
            }
        }
        return result + Self.quotingDates(plain)
    }

    private static func quotingDates(_ text: String) -> String {
        guard text.contains("-") else { return text }
        var result = ""
        var rest = Substring(text)
        var before: Unicode.Scalar?
        while let character = rest.first {
            let isStart = before.map { !isOfWord($0) && !".#$@%".unicodeScalars.contains($0) } ?? true
            if isStart, let date = rest.prefixMatch(of: Self.date)?.0,
                rest[date.endIndex...].unicodeScalars.first.map({ !isOfWord($0) && $0 != "-" }) ?? true
            {
                result += "\"\(date)\""
                rest = rest[date.endIndex...]
                before = "\""
            } else {
                result.append(character)
                before = character.unicodeScalars.last
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static var date: Regex<(Substring, Substring?, Substring?, Substring?, Substring?, Substring?)> {
        /[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?/
    }
}
