/// A piece of a predicate's text.
struct PredicateToken: Equatable {
    /// What it is.
    enum Kind: Equatable {
        /// The end of the text.
        case end
        /// A word: a keyword or a name.
        case word(String)
        /// A name that cannot be a keyword: `#order`, `#"any characters"`.
        case name(String)
        /// A text, number or bytes.
        case literal(StoredValue)
        /// A whole number too large for 64 bits unless a minus sign stands before it: 2⁶³.
        case smallestIntegerMagnitude
        /// `$name`, without the dollar sign.
        case variable(String)
        /// `@name`, without the at sign.
        case aggregate(String)
        /// `%@`, `%K`, `%d`, …
        case placeholder(Placeholder)
        /// A sign, in one spelling: `==` also for `=`.
        case symbol(Symbol)
    }

    /// What an argument takes the place of.
    enum Placeholder: Equatable {
        /// `%@`: a value, a list of values or an object.
        case value
        /// `%K`: a key path.
        case keyPath
        /// `%d`, `%i`, `%ld`, …: a whole number.
        case integer
        /// `%f` and its like: a number.
        case number
    }

    /// A sign.
    enum Symbol: String, Equatable {
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

    /// What it is.
    let kind: Kind
    /// Where it stands, in bytes of UTF-8.
    let range: Range<Int>
}

extension PredicateToken.Symbol {
    /// The comparison that it stands for, if it does.
    var relation: PredicateTree.Relation? {
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
