/// Options of an attribute.
public struct AttributeOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates options from bits.
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

/// Properties of an attribute that few attributes need: validation rules and an earlier name.
///
/// ```swift
/// @Attribute(details: .init(rules: [.minimum(0), .maximum(150)])) var age: Int16 = 0
/// @Attribute(details: .init(renamingIdentifier: "label")) var title: String = ""
/// ```
public struct AttributeDetails: Sendable {
    /// The rules that values must satisfy in addition to the type.
    public let rules: [ValidationRule]
    /// The name that the attribute had in an earlier version of the model.
    public let renamingIdentifier: String?

    /// Creates details.
    public init(rules: [ValidationRule] = [], renamingIdentifier: String? = nil) {
        self.rules = rules
        self.renamingIdentifier = renamingIdentifier
    }
}
