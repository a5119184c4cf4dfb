/// The same predicates for key paths written as text, for requests whose shape is known only when the program
/// runs. A key path that leads nowhere is a typed error of the fetch.
extension FetchRequest.Predicate {
    /// How a value compares with a constant.
    public enum Comparison: Hashable, Sendable {
        case equal, notEqual, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual

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

    /// The value at a dotted key path compared with a constant; texts also without regard to case or marks.
    public static func comparison(
        _ path: String, _ comparison: Comparison, _ value: StoredValue, ignoringCase: Bool = false,
        ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, comparison.relation, value, ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path begins with `text`.
    public static func beginsWith(
        _ path: String, _ text: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .beginsWith, .text(text), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path contains `text`.
    public static func contains(
        _ path: String, _ text: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .contains, .text(text), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path ends with `text`.
    public static func endsWith(
        _ path: String, _ text: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .endsWith, .text(text), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path as a whole fits a pattern, in which `*` stands for
    /// any characters, also none, and `?` for one. A backslash takes their meaning from `*`, `?` and itself.
    public static func like(
        _ path: String, _ pattern: String, ignoringCase: Bool = false, ignoringDiacritics: Bool = false
    ) -> Self {
        compare(path, .like, .text(pattern), ignoringCase, ignoringDiacritics)
    }

    /// True for objects whose text at a dotted key path as a whole fits a regular expression of ICU. What is
    /// none is a typed error of the fetch, and so is one that takes too many steps.
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
    public static func isIn(_ path: String, _ values: [StoredValue]) -> Self {
        Self(.comparison(.path(path), .isIn, .list(values.map { .value($0) })))
    }

    /// True for objects whose value at a dotted key path lies between two, both included.
    public static func isBetween(_ path: String, _ low: StoredValue, _ high: StoredValue) -> Self {
        Self(.comparison(.path(path), .between, .list([.value(low), .value(high)])))
    }

    /// True for objects without a value at a dotted key path.
    public static func isNil(_ path: String) -> Self {
        Self(.comparison(.path(path), .equal, .value(.null)))
    }

    /// True for objects whose to-one relationship at a dotted key path leads to the object with this
    /// identity.
    public static func leads(_ path: String, to objectID: ObjectID) -> Self {
        Self(.comparison(.path(path), .equal, .object(objectID)))
    }
}
