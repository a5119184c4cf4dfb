/// Declares an attribute of a ``ManagedObject`` subclass.
///
/// The property's name, type and initial value are the attribute's name, type and default. An optional type makes the
/// attribute optional.
///
/// ```swift
/// @Attribute var title: String = ""
/// @Attribute(.unique) var isbn: String?
/// ```
@propertyWrapper
public struct Attribute<Value: AttributeValue> {
    let initialValue: Value?
    let options: AttributeOptions

    /// Declares an attribute with a default.
    public init(wrappedValue: Value, _ options: AttributeOptions = []) {
        initialValue = wrappedValue
        self.options = options
    }

    /// Declares an attribute without a default: nil if optional, else to be set before the object is saved.
    public init(_ options: AttributeOptions = []) {
        initialValue = nil
        self.options = options
    }

    /// Only classes derived from ``ManagedObject`` can have attributes.
    @available(*, unavailable, message: "@Attribute belongs in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { Value.placeholder }
        set { _ = newValue }
    }

    /// Reads and writes the attribute of an object.
    @inlinable
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        get {
            guard let stored = object.storedValue(at: storageKeyPath) else { return Value.placeholder }
            if let value = Value(storedValue: stored) { return value }
            object.noteUnreadable(stored, at: storageKeyPath, as: Value.self)
            return Value.placeholder
        }
        set { object.setStoredValue(newValue.storedValue, at: storageKeyPath) }
    }
}

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
}
