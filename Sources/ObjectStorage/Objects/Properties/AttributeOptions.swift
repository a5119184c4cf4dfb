/// Options of an attribute.
public struct AttributeOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The sum of the options' bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The store has an SQLite index on the attribute.
    public static let indexed = Self(rawValue: 1)
    /// No two objects may have the same value.
    public static let unique = Self(rawValue: 2)
    /// The attribute exists only in memory and has no column. Setting it does not count as an unsaved change.
    public static let transient = Self(rawValue: 4)
    /// Values of 16 KiB and more are stored outside the rows, and read when an object's property is accessed:
    /// for images and other large data that lists do not show. Only for `Data` and transformable attributes.
    public static let externalStorage = Self(rawValue: 8)
}
