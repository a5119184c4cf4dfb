/// A construct that other notations and lenient parsers permit, and JSON does not.
public enum JSONDialect: Hashable, Sendable {
    /// `NaN` or `nan`, for a number that is not a number.
    case notANumber(String)
    /// `Infinity`, `inf` or the like, with or without a sign.
    case infinity(String)
    /// A word of Python or JavaScript for a truth value or for no value: `True`, `None`, `undefined`.
    case word(String, instead: String)
    /// A comment that begins with `//`, `/*` or `#`.
    case comment
    /// A comma before a closing bracket.
    case trailingComma
    /// A text or a name in single quotes.
    case singleQuotes
    /// A name without quotes.
    case unquotedName

    /// The construct as the subject of a sentence, with a verb.
    var subject: String {
        switch self {
        case .notANumber(let word), .infinity(let word), .word(let word, _): "“\(word)” is"
        case .comment: "a comment is"
        case .trailingComma: "a comma before a closing bracket is"
        case .singleQuotes: "a single quote is"
        case .unquotedName: "a name without quotes is"
        }
    }

    /// The change of the file that makes it JSON.
    var remedy: String {
        switch self {
        case .notANumber: "write null for no value"
        case .infinity: "write null, or a number in the range of a double"
        case .word(_, let instead): "write \(instead)"
        case .comment: "remove the comments from the file"
        case .trailingComma: "remove the comma"
        case .singleQuotes: "write double quotes"
        case .unquotedName: "write names in double quotes"
        }
    }

    /// Returns the construct of a word in the place of a value, or nil for another word.
    init?(word: String) {
        let unsigned = word.first == "-" || word.first == "+" ? String(word.dropFirst()) : word
        switch unsigned {
        case "NaN", "nan", "NAN": self = .notANumber(word)
        case "Infinity", "infinity", "INFINITY", "inf", "Inf", "INF": self = .infinity(word)
        case "True": self = .word(word, instead: "true")
        case "False": self = .word(word, instead: "false")
        case "None", "undefined", "NULL", "Null", "nil", "NA": self = .word(word, instead: "null")
        default: return nil
        }
    }
}
