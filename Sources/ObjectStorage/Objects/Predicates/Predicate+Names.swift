/// Predicates with key paths written as strings, for requests that are composed at run time. A key path to a
/// property that does not exist is a typed error of the fetch.
extension FetchRequest.Predicate {
    /// A comparison of a value with a constant.
    public enum Comparison: Hashable, Sendable {
        /// The values are equal; nil equals nil.
        case equal
        /// The values differ.
        case notEqual
        /// The value precedes the constant.
        case lessThan
        /// The value precedes the constant or equals it.
        case lessThanOrEqual
        /// The value follows the constant.
        case greaterThan
        /// The value follows the constant or equals it.
        case greaterThanOrEqual

        var relation: PredicateTree.Relation {
            switch self {
            case .equal: .equal
            case .notEqual: .notEqual
            case .lessThan: .lessThan
            case .lessThanOrEqual: .lessThanOrEqual
            case .greaterThan: .greaterThan
            case .greaterThanOrEqual: .greaterThanOrEqual
            }
        }
    }

    /// Compares the value at a dotted key path with a constant; texts may be compared without regard to case
    /// or diacritics.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute or a to-one relationship.
    ///   - comparison: The relation between the value, on the left, and the constant.
    ///   - value: The constant. ``StoredValue/null`` equals a missing value. A constant that cannot be
    ///     compared with the property is an error of the fetch.
    ///   - ignoringCase: Whether letters in upper and lower case are equal. It affects only texts.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters. It affects only
    ///     texts.
    public static func comparison(
        _ path: String, _ comparison: Comparison, _ value: StoredValue, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, comparison.relation, value, ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path begins with `text`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - text: The text to search for, taken literally.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func beginsWith(
        _ path: String, _ text: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .beginsWith, .text(text), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path contains `text`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - text: The text to search for, taken literally.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func contains(
        _ path: String, _ text: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .contains, .text(text), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path ends with `text`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - text: The text to search for, taken literally.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func endsWith(
        _ path: String, _ text: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .endsWith, .text(text), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose entire text at a dotted key path matches a pattern, in which `*` matches any
    /// number of characters, including none, and `?` matches one.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - pattern: The pattern. A backslash escapes `*`, `?` and itself.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by Unicode's case folding.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func like(
        _ path: String, _ pattern: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .like, .text(pattern), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose entire text at a dotted key path matches a regular expression.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a string attribute.
    ///   - expression: An ICU regular expression of at most 4,096 bytes of UTF-8. If it is longer or invalid,
    ///     or takes too many steps, the fetch throws an error.
    ///   - ignoringCase: Whether letters in upper and lower case are equal, by ICU's rules.
    ///   - ignoringDiacritics: Whether letters with marks are equal to the plain letters.
    public static func matches(
        _ path: String, _ expression: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .matches, .text(expression), ignoringCase, ignoringDiacritics)
    }

    private static func compare(
        _ path: String, _ relation: PredicateTree.Relation, _ value: StoredValue, _ ignoringCase: Bool,
        _ ignoringDiacritics: Bool
    ) -> Self {
        var options: PredicateTree.TextOptions = []
        if ignoringCase { options.insert(.ignoringCase) }
        if ignoringDiacritics { options.insert(.ignoringDiacritics) }
        return Self(.comparison(.path(path), relation, .value(value), options: options))
    }

    /// True for objects whose value at a dotted key path is one of `values`.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute or a to-one relationship.
    ///   - values: The values, of which null represents a missing value. With no values, the predicate is
    ///     false.
    /// - Complexity: O(*n*) in the number of values.
    public static func isIn(_ path: String, _ values: [StoredValue]) -> Self {
        Self(.comparison(.path(path), .isIn, .list(values.map { .value($0) })))
    }

    /// True for objects whose value at a dotted key path lies between two bounds, both included.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute.
    ///   - low: The lower bound, included. If it is null, or greater than the upper bound, the predicate is
    ///     false.
    ///   - high: The upper bound, included. If it is null, the predicate is false.
    public static func isBetween(_ path: String, _ low: StoredValue, _ high: StoredValue) -> Self {
        Self(.comparison(.path(path), .between, .list([.value(low), .value(high)])))
    }

    /// True for objects without a value at a dotted key path.
    ///
    /// - Parameter path: A dotted key path to an attribute or a to-one relationship.
    public static func isNil(_ path: String) -> Self {
        Self(.comparison(.path(path), .equal, .value(.null)))
    }

    /// True for objects whose to-one relationship at a dotted key path leads to an object.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to a to-one relationship.
    ///   - objectID: The identity of the object to which it leads.
    public static func leads(_ path: String, to objectID: ObjectID) -> Self {
        Self(.comparison(.path(path), .equal, .object(objectID)))
    }
}
