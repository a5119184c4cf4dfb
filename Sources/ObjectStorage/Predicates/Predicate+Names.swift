/// The same predicates for key paths written as text, for requests whose shape is known only when the program runs.
/// A key path that leads nowhere is a typed error of the fetch.
extension FetchRequest.Predicate {
    /// How a value compares with a constant.
    public enum Comparison: Hashable, Sendable {
        case equal, notEqual, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual

        fileprivate var relation: PredicateTree.Relation {
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

    /// The value at a dotted key path compared with a constant.
    public static func comparison(
        _ path: String, _ comparison: Comparison, _ value: StoredValue, ignoringCase: Bool = false
    ) -> Self {
        Self(
            .comparison(
                .path(path), comparison.relation, .value(value), options: ignoringCase ? .ignoringCase : []))
    }

    /// True for objects whose text at a dotted key path begins with `text`.
    public static func beginsWith(_ path: String, _ text: String, ignoringCase: Bool = false) -> Self {
        Self(
            .comparison(
                .path(path), .beginsWith, .value(.text(text)), options: ignoringCase ? .ignoringCase : []))
    }

    /// True for objects whose text at a dotted key path contains `text`.
    public static func contains(_ path: String, _ text: String, ignoringCase: Bool = false) -> Self {
        Self(
            .comparison(
                .path(path), .contains, .value(.text(text)), options: ignoringCase ? .ignoringCase : []))
    }

    /// True for objects whose text at a dotted key path ends with `text`.
    public static func endsWith(_ path: String, _ text: String, ignoringCase: Bool = false) -> Self {
        Self(
            .comparison(
                .path(path), .endsWith, .value(.text(text)), options: ignoringCase ? .ignoringCase : []))
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

    /// True for objects whose to-one relationship at a dotted key path leads to the object with this identity.
    public static func leads(_ path: String, to objectID: ObjectID) -> Self {
        Self(.comparison(.path(path), .equal, .object(objectID)))
    }
}
