/// A value that is computed in Swift from a property, to sort and to group by: what a transient property is
/// in Core Data.
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
/// SQLite calls the function for each row that it sorts or groups, on whichever thread reads. Results
/// computed with it are kept in caches, so that two things are asked of it:
///
/// * The same value gives the same key, in every process and on every machine. It reads nothing but the value
///   and its own stored properties: not the time, the settings of the user or a file. What else it depends
///   on, a time zone for instance, is a stored property that stays as it is: never
///   `TimeZone.autoupdatingCurrent`.
/// * When it gives another key for some value than before, ``version`` rises. Nothing else tells that the
///   code is another.
///
/// The name, the version and the stored properties, as they are encoded to JSON, are part of every
/// fingerprint. Equal ones must be encoded alike in every process: keep a sorted array instead of a `Set`,
/// whose elements have another order each time, so that nothing would be found again.
public protocol KeyFunction<Value, Key>: Encodable, Sendable {
    /// The type of the property. A value that is none of the type's, NULL for one that is not optional, has
    /// no key.
    associatedtype Value: AttributeValue
    /// The type of the keys.
    associatedtype Key: AttributeValue
    /// The name in fingerprints and messages, another one for each type of function. Do not change it while
    /// there are caches.
    static var name: String { get }
    /// Rises when the key of some value changes.
    static var version: Int { get }
    /// The key of a value.
    ///
    /// - Complexity: It is called for each row once or a few times, with declared sections up to once for
    ///   each, and again when a row changes: keep it short.
    func key(for value: Value) -> Key
}
