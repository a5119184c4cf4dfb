/// What else an attribute is.
public struct AttributeOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes options of bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An SQLite index is kept over the attribute.
    public static let indexed = Self(rawValue: 1)
    /// No two objects may have the same value.
    public static let unique = Self(rawValue: 2)
    /// It lives in memory alone: an object has it, its row does not. Setting it makes no change that a save
    /// would write.
    public static let transient = Self(rawValue: 4)
    /// Values of 16 KiB and more are kept beside the rows, and read when an object is asked for them: for
    /// pictures and the like, which lists do not show. Only for `Data` and transformable attributes.
    public static let externalStorage = Self(rawValue: 8)
}

/// What few attributes have.
///
/// ```swift
/// @Attribute(details: .init(rules: [.minimum(0), .maximum(150)])) var age: Int16 = 0
/// @Attribute(details: .init(renamingIdentifier: "label")) var title: String = ""
/// ```
public struct AttributeDetails: Sendable {
    /// What values must fulfil beside having the type.
    public let rules: [ValidationRule]
    /// The name that the attribute had in an earlier version of the model.
    public let renamingIdentifier: String?

    /// Makes details.
    public init(rules: [ValidationRule] = [], renamingIdentifier: String? = nil) {
        self.rules = rules
        self.renamingIdentifier = renamingIdentifier
    }
}
