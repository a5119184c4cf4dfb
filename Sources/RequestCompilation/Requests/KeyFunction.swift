public import ObjectModel

/// A value computed in Swift from a property, to sort and group by. It replaces a transient property of Core
/// Data.
///
/// ```swift
/// struct Decade: KeyFunction {
///     static let name = "decade"
///     static let version = 1
///     func key(for year: Int?) -> Int? { year.map { $0 / 10 * 10 } }
/// }
///
/// let key = KeyExpression.computed(Decade(), of: \Song.year)
/// ```
///
/// SQLite calls the function for each row that it sorts or groups, on any thread that reads. Caches store the
/// results, so a function must fulfil two conditions:
///
/// * Equal values have equal keys, in every process and on every machine. The function depends only on the
///   value and its own stored properties: not on the time, the settings of the user or a file. Any other
///   input, such as a time zone, is a stored property that does not change: never
///   `TimeZone.autoupdatingCurrent`.
/// * When the key of any value changes, ``version`` increases. The library cannot detect a change of the code
///   in any other way.
///
/// The name, the version and the stored properties, encoded as JSON, are part of every fingerprint. Equal
/// properties must be encoded identically in every process: use a sorted array instead of a `Set`, whose
/// elements have a different order in each process, so that no cached result would be found.
public protocol KeyFunction<Value, Key>: Encodable, Sendable {
    /// The type of the property. A stored value that is not of this type, such as NULL for a type that is not
    /// optional, has no key.
    associatedtype Value: AttributeValue
    /// The type of the keys.
    associatedtype Key: AttributeValue
    /// The name in fingerprints and messages, different for each type of function. It must not change while
    /// caches exist.
    static var name: String { get }
    /// The version. Increase it when the key of any value changes.
    static var version: Int { get }
    /// Returns the key of a value.
    ///
    /// - Parameter value: The value of the property; nil for none if the type is optional.
    /// - Complexity: The function should be fast, because SQLite calls it once or a few times for each row,
    ///   and again when a row changes. If sections are declared, SQLite may call it once for each section and
    ///   row.
    func key(for value: Value) -> Key
}
