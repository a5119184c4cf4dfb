import Foundation

/// The type of an attribute: what values it takes and how SQLite keeps them.
public enum AttributeType: String, Hashable, Sendable, Codable, CaseIterable {
    /// Text, kept as TEXT.
    case string
    /// −32,768 … 32,767, kept as INTEGER.
    case integer16
    /// −2³¹ … 2³¹−1, kept as INTEGER.
    case integer32
    /// −2⁶³ … 2⁶³−1, kept as INTEGER.
    case integer64
    /// An IEEE 754 number of 64 bits, kept as REAL. Not-a-number is refused, because SQLite would keep it as
    /// NULL.
    case double
    /// An IEEE 754 number of 32 bits, kept as REAL.
    case float
    /// A decimal number of up to 38 digits, kept exactly, as TEXT: digits with a point and without needless
    /// zeros.
    case decimal
    /// True or false, kept as INTEGER 1 or 0.
    case boolean
    /// A moment, kept as REAL: seconds since 2001-01-01 00:00 UTC, which is exact for every Foundation
    /// `Date`.
    case date
    /// Bytes, kept as BLOB.
    case binaryData
    /// A UUID, kept as a BLOB of 16 bytes.
    case uuid
    /// A URI, kept as TEXT.
    case uri
    /// Any value that a transformer makes bytes of, kept as BLOB.
    case transformable

    /// The declared type of the SQLite column, which fixes its affinity.
    var columnType: String {
        switch self {
        case .string, .decimal, .uri: "TEXT"
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .double, .float, .date: "REAL"
        case .binaryData, .uuid, .transformable: "BLOB"
        }
    }

    /// Whether `value` is one that an attribute of this type may hold; NULL always is here, see `isOptional`.
    package func accepts(_ value: StoredValue) -> Bool {
        switch (self, value) {
        case (_, .null): true
        case (.string, .text): true
        case (.integer16, .integer(let value)): Int16(exactly: value) != nil
        case (.integer32, .integer(let value)): Int32(exactly: value) != nil
        case (.integer64, .integer): true
        case (.boolean, .integer(let value)): value == 0 || value == 1
        case (.double, .real(let value)), (.date, .real(let value)): !value.isNaN
        case (.float, .real(let value)): !value.isNaN && Double(Float(value)) == value
        case (.decimal, .text(let text)):
            DecimalNumber(text).map { $0.isExact && $0.canonicalText == text } ?? false
        case (.uri, .text(let text)): URL(string: text) != nil
        case (.binaryData, .blob), (.transformable, .blob): true
        case (.uuid, .blob(let bytes)): bytes.count == 16
        default: false
        }
    }

    /// The value in the one form in which an attribute of this type keeps it, if it can be brought into that:
    /// whole numbers for a number with a fraction, and decimals written otherwise.
    package func normalized(_ value: StoredValue) -> StoredValue {
        switch (self, value) {
        case (.decimal, .text), (.decimal, .integer), (.decimal, .real):
            DecimalNumber(value).map { .text($0.canonicalText) } ?? value
        case (.double, .integer(let integer)), (.float, .integer(let integer)),
            (.date, .integer(let integer)):
            Double(exactly: integer).map { .real($0) } ?? value
        default: value
        }
    }
}
