public import Foundation

extension String: OrderedAttributeValue, TextAttributeValue {
    /// Text.
    @inlinable public static var attributeType: AttributeType { .string }
    /// The empty text.
    @inlinable public static var placeholder: String { "" }

    /// Reads TEXT; nil for any other value.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .text(let value) = storedValue else { return nil }
        self = value
    }

    /// The text.
    @inlinable public var storedValue: StoredValue { .text(self) }
}

extension Date: OrderedAttributeValue {
    /// A point in time.
    @inlinable public static var attributeType: AttributeType { .date }
    /// The reference date, 2001-01-01 00:00 UTC.
    @inlinable public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }

    /// Reads seconds since the reference date; nil for a value that is not a number.
    ///
    /// - Parameter storedValue: The seconds since 2001-01-01 00:00 UTC, as a REAL or an INTEGER.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard let seconds = Double(storedValue: storedValue) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// The seconds since the reference date. The conversion is exact, because a `Date` holds this number.
    @inlinable public var storedValue: StoredValue { .real(timeIntervalSinceReferenceDate) }
}

extension Data: AttributeValue {
    /// Bytes.
    @inlinable public static var attributeType: AttributeType { .binaryData }
    /// No bytes.
    @inlinable public static var placeholder: Data { Data() }

    /// Reads a BLOB; nil for any other value.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue else { return nil }
        self.init(bytes)
    }

    /// The bytes.
    @inlinable public var storedValue: StoredValue { .blob(Array(self)) }
}

extension UUID: AttributeValue {
    /// A UUID.
    @inlinable public static var attributeType: AttributeType { .uuid }
    /// All zeros.
    @inlinable public static var placeholder: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    /// Reads a BLOB of 16 bytes; nil for any other value.
    ///
    /// - Parameter storedValue: The 16 bytes in the order of a UUID's text.
    @inlinable
    public init?(storedValue: StoredValue) {
        guard case .blob(let bytes) = storedValue, bytes.count == 16 else { return nil }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The 16 bytes in the order of a UUID's text.
    @inlinable
    public var storedValue: StoredValue { .blob(withUnsafeBytes(of: uuid) { Array($0) }) }
}

extension Decimal: OrderedAttributeValue {
    /// A decimal number.
    @inlinable public static var attributeType: AttributeType { .decimal }
    /// Zero.
    @inlinable public static var placeholder: Decimal { 0 }

    /// Reads a number of up to 38 digits, exactly; nil for any other value.
    ///
    /// - Parameter storedValue: A text, an integer or a finite REAL.
    public init?(storedValue: StoredValue) {
        guard let decimal = DecimalNumber(storedValue)?.decimal else { return nil }
        self = decimal
    }

    /// The digits, with a point and without unnecessary zeros. A save rejects not-a-number.
    public var storedValue: StoredValue {
        .text(DecimalNumber(description)?.canonicalText ?? description)
    }
}

extension URL: OrderedAttributeValue, TextAttributeValue {
    /// A URI.
    @inlinable public static var attributeType: AttributeType { .uri }
    /// The root of the file system.
    public static var placeholder: URL { URL(filePath: "/") }

    /// Reads TEXT that is a URI; nil for any other value.
    ///
    /// - Parameter storedValue: The value as SQLite stores it.
    public init?(storedValue: StoredValue) {
        guard case .text(let text) = storedValue else { return nil }
        self.init(string: text)
    }

    /// The absolute text. A relative URL is stored with its base resolved.
    public var storedValue: StoredValue { .text(absoluteString) }
}
