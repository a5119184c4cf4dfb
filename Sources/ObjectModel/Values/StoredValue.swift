/// A value as SQLite stores it, in one of its five storage classes.
///
/// Source: "Datatypes In SQLite", section 2.
@frozen
public enum StoredValue: Hashable, Sendable {
    /// No value.
    case null
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// An IEEE 754 number of 64 bits. SQLite stores not-a-number as ``null``.
    case real(Double)
    /// Text, encoded as UTF-8.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// Whether the value is null.
    @inlinable
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension StoredValue {
    /// Returns whether two values have the same storage class and are equal: numbers by their value, texts by
    /// their bytes. So é as one code point and é as two are different texts.
    ///
    /// - Parameters:
    ///   - first: A value.
    ///   - second: Another value.
    public static func == (first: StoredValue, second: StoredValue) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b
        // Equal bytes imply equal texts, and Swift compares texts fastest; equal texts may have different
        // bytes.
        case (.text(let a), .text(let b)): a == b && a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }
}

extension StoredValue: CustomStringConvertible {
    /// The value as readable text: `nil`, a number, the text in quotes, or the number of bytes.
    public var description: String {
        switch self {
        case .null: "nil"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): "“\(value)”"
        case .blob(let value): "\(value.count) bytes"
        }
    }
}

// No conformance to `ExpressibleByNilLiteral`: `nil` in an expression of type `StoredValue?` would be
// ambiguous.
extension StoredValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByBooleanLiteral
{
    /// Creates an integer.
    ///
    /// - Parameter value: The value of the literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a floating-point number.
    ///
    /// - Parameter value: The value of the literal.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a text.
    ///
    /// - Parameter value: The value of the literal.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates the integer 1 for true, and 0 for false.
    ///
    /// - Parameter value: The value of the literal.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}
