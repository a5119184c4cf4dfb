/// A Swift type of an attribute's values.
///
/// The standard types conform; so do `Optional` of any of them, and an enumeration whose raw value conforms
/// and which declares the conformance: `enum Genre: String, AttributeValue, CaseIterable`.
public protocol AttributeValue: Hashable, Sendable {
    /// The attribute type, which determines the declared type of the SQLite column.
    static var attributeType: AttributeType { get }
    /// Whether the type includes a missing value.
    static var isOptional: Bool { get }
    /// The value of a property that has no usable value: zero, empty, false, nil.
    static var placeholder: Self { get }
    /// Reads a stored value; nil if it is not a value of this type.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    init?(storedValue: StoredValue)
    /// The value as SQLite stores it.
    var storedValue: StoredValue { get }
}

extension AttributeValue {
    /// False; optional types override it.
    @inlinable public static var isOptional: Bool { false }
}

/// An attribute type whose values are ordered, so that `<` has the same meaning in Swift and in SQLite.
public protocol OrderedAttributeValue: AttributeValue {}

/// An attribute type that holds text.
public protocol TextAttributeValue: AttributeValue {}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The type of the wrapped values.
    @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }
    /// Always true.
    @inlinable public static var isOptional: Bool { true }
    /// Nil.
    @inlinable public static var placeholder: Self { .none }

    /// Reads NULL as nil, and any other value as the wrapped type does.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        if case .null = storedValue {
            self = .none
        } else if let value = Wrapped(storedValue: storedValue) {
            self = .some(value)
        } else {
            return nil
        }
    }

    /// NULL for nil.
    @inlinable public var storedValue: StoredValue { self?.storedValue ?? .null }
}

extension Optional: OrderedAttributeValue where Wrapped: OrderedAttributeValue {}
extension Optional: TextAttributeValue where Wrapped: TextAttributeValue {}

extension AttributeValue where Self: RawRepresentable & CaseIterable, RawValue: AttributeValue {
    /// The type of the raw value.
    public static var attributeType: AttributeType { RawValue.attributeType }

    /// The first case.
    public static var placeholder: Self {
        guard let first = allCases.first else {
            preconditionFailure("\(Self.self) has no cases, so it cannot be the type of an attribute.")
        }
        return first
    }

    /// Reads the raw value; nil if no case has it.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    public init?(storedValue: StoredValue) {
        guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The raw value.
    public var storedValue: StoredValue { rawValue.storedValue }
}
