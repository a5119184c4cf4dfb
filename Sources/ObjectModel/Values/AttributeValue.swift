/// A Swift type that an attribute can have.
///
/// The standard types conform; so does `Optional` of any of them, and an enumeration whose raw value conforms
/// needs only to say so: `enum Genre: String, AttributeValue, CaseIterable`.
public protocol AttributeValue: Hashable, Sendable {
    /// The type that SQLite columns of it are declared for.
    static var attributeType: AttributeType { get }
    /// Whether no value is one of its values.
    static var isOptional: Bool { get }
    /// What a property shows while it has no usable value: zero, empty, false, nil.
    static var placeholder: Self { get }
    /// Reads a stored value, or gives nil when it is none of this type's values.
    init?(storedValue: StoredValue)
    /// The value as SQLite keeps it.
    var storedValue: StoredValue { get }
}

extension AttributeValue {
    /// Types are not optional unless they say so.
    @inlinable public static var isOptional: Bool { false }
}

/// An attribute type whose values have an order, so that `<` means the same in Swift and in SQLite.
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

    /// Reads NULL as nil, anything else as the wrapped type does.
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

    /// Reads the raw value; nil for one that no case has.
    public init?(storedValue: StoredValue) {
        guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The raw value.
    public var storedValue: StoredValue { rawValue.storedValue }
}
