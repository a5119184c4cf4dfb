package import ObjectModel

/// A token of a predicate's text.
package struct PredicateToken: Equatable {
    /// The kinds of tokens, with their contents.
    package enum Kind: Equatable {
        /// The end of the text.
        case end
        /// A word: a keyword or a name.
        case word(String)
        /// A name that cannot be a keyword: `#order`, `#"any characters"`.
        case name(String)
        /// A text, number or bytes.
        case literal(StoredValue)
        /// An integer that fits in 64 bits only after a minus sign: 2⁶³.
        case smallestIntegerMagnitude
        /// `$name`, without the dollar sign.
        case variable(String)
        /// `@name`, without the at sign.
        case aggregate(String)
        /// `%@`, `%K`, `%d`, …
        case placeholder(Placeholder)
        /// A symbol; alternative spellings are unified: `==` also for `=`.
        case symbol(Symbol)
    }

    /// The kinds of placeholders for arguments.
    package enum Placeholder: Equatable {
        /// `%@`: a value, a list of values or an object.
        case value
        /// `%K`: a key path.
        case keyPath
        /// `%d`, `%i`, `%ld`, …: an integer.
        case integer
        /// `%f`, `%g`, …: a number.
        case number
    }

    /// The symbols of the format language.
    package enum Symbol: String, Equatable {
        /// A symbol, with its canonical spelling.
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
        case openBrace = "{"
        case closeBrace = "}"
        case comma = ","
        case dot = "."
        case colon = ":"
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divide = "/"
        case equal = "=="
        case notEqual = "!="
        case lessThan = "<"
        case lessThanOrEqual = "<="
        case greaterThan = ">"
        case greaterThanOrEqual = ">="
        case and = "&&"
        case or = "||"
        case not = "!"
    }

    /// The kind, with its contents.
    package let kind: Kind
    /// The range in the text, in bytes of UTF-8.
    package let range: Range<Int>
}

extension PredicateToken.Symbol {
    /// The comparison that the symbol represents, if any.
    package var relation: PredicateTree.Relation? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .lessThan: .lessThan
        case .lessThanOrEqual: .lessThanOrEqual
        case .greaterThan: .greaterThan
        case .greaterThanOrEqual: .greaterThanOrEqual
        default: nil
        }
    }
}
