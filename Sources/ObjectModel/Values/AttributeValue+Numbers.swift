/// An integer type for attributes, stored as INTEGER and read back only within its range.
public protocol IntegerAttributeValue: FixedWidthInteger, OrderedAttributeValue {}

extension IntegerAttributeValue {
    /// Zero.
    @inlinable public static var placeholder: Self { 0 }

    /// Reads an INTEGER within the type's range; nil for any other value.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .integer(let value) = storedValue else { return nil }
        self.init(exactly: value)
    }

    /// The integer; for one that needs more than 64 bits with its sign, a REAL, which no integer attribute
    /// accepts.
    @inlinable public var storedValue: StoredValue {
        Int64(exactly: self).map(StoredValue.integer) ?? .real(Double(self))
    }
}

extension Int16: IntegerAttributeValue {
    /// 16-bit integer.
    @inlinable public static var attributeType: AttributeType { .integer16 }
}

extension Int32: IntegerAttributeValue {
    /// 32-bit integer.
    @inlinable public static var attributeType: AttributeType { .integer32 }
}

extension Int64: IntegerAttributeValue {
    /// 64-bit integer.
    @inlinable public static var attributeType: AttributeType { .integer64 }
}

extension Int: IntegerAttributeValue {
    /// 64-bit integer, on every platform.
    @inlinable public static var attributeType: AttributeType { .integer64 }
}

extension Double: OrderedAttributeValue {
    /// 64-bit number.
    @inlinable public static var attributeType: AttributeType { .double }
    /// Zero.
    @inlinable public static var placeholder: Double { 0 }

    /// Reads a REAL, or an INTEGER that another program stored in a column without affinity; nil for any
    /// other value, and for an INTEGER that a `Double` cannot hold exactly.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .real(let value): self = value
        case .integer(let value): self.init(exactly: value)
        default: return nil
        }
    }

    /// The number.
    @inlinable public var storedValue: StoredValue { .real(self) }
}

extension Float: OrderedAttributeValue {
    /// 32-bit number.
    @inlinable public static var attributeType: AttributeType { .float }
    /// Zero.
    @inlinable public static var placeholder: Float { 0 }

    /// Reads a REAL or an INTEGER that a 32-bit number can hold exactly; nil for any other value.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard let value = Double(storedValue: storedValue) else { return nil }
        self.init(exactly: value)
    }

    /// The number, widened, which is exact.
    @inlinable public var storedValue: StoredValue { .real(Double(self)) }
}

extension Bool: AttributeValue {
    /// Boolean.
    @inlinable public static var attributeType: AttributeType { .boolean }
    /// False.
    @inlinable public static var placeholder: Bool { false }

    /// Reads 0 or 1 as an INTEGER; nil for any other value.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        switch storedValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    /// 1 for true, 0 for false.
    @inlinable public var storedValue: StoredValue { .integer(self ? 1 : 0) }
}
