/// A predicate as a tree, without the Swift type of the objects.
///
/// Every node is true or false, never unknown: a comparison with no value is false and its negation true. `==` and `!=`
/// treat no value as one more value.
package indirect enum PredicateTree: Hashable, Sendable {
    /// How a value compares with a constant.
    package enum Comparison: String, Hashable, Sendable {
        case equal, notEqual, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual
    }

    /// Where a text must contain another.
    package enum TextMatch: String, Hashable, Sendable {
        case beginsWith, contains, endsWith
    }

    /// A constant: a value, or an object to which a to-one relationship leads.
    package enum Constant: Hashable, Sendable {
        case value(StoredValue)
        case object(ObjectID)
    }

    /// Always true or always false.
    case constant(Bool)
    /// The value at a key path compared with a constant.
    case comparison(path: String, Comparison, Constant, ignoresCase: Bool)
    /// The text at a key path begins with, contains or ends with another.
    case text(path: String, TextMatch, String, ignoresCase: Bool)
    /// The value at a key path is one of some.
    case isIn(path: String, [Constant])
    /// The value at a key path lies between two, both included.
    case between(path: String, StoredValue, StoredValue)
    /// All of some hold; of none, true.
    case and([PredicateTree])
    /// At least one of some holds; of none, false.
    case or([PredicateTree])
    /// The opposite.
    case not(PredicateTree)
}

extension PredicateTree.Constant: CustomStringConvertible {
    /// The constant for people.
    package var description: String {
        switch self {
        case .value(let value): value.description
        case .object(let objectID): objectID.description
        }
    }
}

extension PredicateTree: CustomStringConvertible {
    /// The predicate in words.
    package var description: String {
        switch self {
        case .constant(let value): value ? "all" : "none"
        case .comparison(let path, let comparison, let constant, let ignoresCase):
            "\(path) \(comparison.symbol)\(ignoresCase ? "[c]" : "") \(constant)"
        case .text(let path, let match, let text, let ignoresCase):
            "\(path) \(match.words)\(ignoresCase ? "[c]" : "") “\(text)”"
        case .isIn(let path, let constants):
            "\(path) in {\(constants.map(\.description).joined(separator: ", "))}"
        case .between(let path, let low, let high): "\(path) between \(low) and \(high)"
        case .and(let parts): parts.isEmpty ? "all" : Self.join(parts, " and ")
        case .or(let parts): parts.isEmpty ? "none" : Self.join(parts, " or ")
        case .not(let part): "not (\(part))"
        }
    }

    private static func join(_ parts: [PredicateTree], _ word: String) -> String {
        parts.count == 1 ? parts[0].description : parts.map { "(\($0))" }.joined(separator: word)
    }
}

extension PredicateTree.Comparison {
    /// The sign that people read.
    var symbol: String {
        switch self {
        case .equal: "="
        case .notEqual: "≠"
        case .lessThan: "<"
        case .lessThanOrEqual: "≤"
        case .greaterThan: ">"
        case .greaterThanOrEqual: "≥"
        }
    }
}

extension PredicateTree.TextMatch {
    /// The words that people read.
    var words: String {
        switch self {
        case .beginsWith: "begins with"
        case .contains: "contains"
        case .endsWith: "ends with"
        }
    }
}
