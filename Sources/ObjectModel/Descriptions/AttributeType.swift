import Foundation

/// The type of an attribute: its values, and the storage class in which SQLite stores them.
public enum AttributeType: String, Hashable, Sendable, Codable, CaseIterable {
    // The raw values are part of the models in stores and model files, so a case is never renamed.
    //
    // The article “Contributing” describes how to add a case. The compiler reports only switches without a
    // default. `accepts(_:)`, `normalized(_:)`, the rules of `ValidationRule`, the names of types in
    // `ModelReading`, `SectionName.name` and the text forms of the tools treat some types specially.

    /// Text, stored as TEXT.
    case string
    /// −32,768 … 32,767, stored as INTEGER.
    case integer16
    /// −2³¹ … 2³¹−1, stored as INTEGER.
    case integer32
    /// −2⁶³ … 2⁶³−1, stored as INTEGER.
    case integer64
    /// An IEEE 754 number of 64 bits, stored as REAL. Not-a-number is rejected, because SQLite would store it
    /// as NULL.
    case double
    /// An IEEE 754 number of 32 bits, stored as REAL.
    case float
    /// A decimal number of up to 38 digits, stored exactly, as TEXT: digits with a point and without
    /// unnecessary zeros.
    case decimal
    /// True or false, stored as INTEGER 1 or 0.
    case boolean
    /// A point in time, stored as REAL: seconds since 2001-01-01 00:00 UTC, which is exact for every
    /// Foundation `Date`.
    case date
    /// Bytes, stored as BLOB.
    case binaryData
    /// A UUID, stored as a BLOB of 16 bytes.
    case uuid
    /// A URI, stored as TEXT.
    case uri
    /// Any value that a transformer encodes as bytes, stored as BLOB.
    case transformable

    /// The declared type of the SQLite column, which determines its affinity.
    package var columnType: String {
        switch self {
        case .string, .decimal, .uri: "TEXT"
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .double, .float, .date: "REAL"
        case .binaryData, .uuid, .transformable: "BLOB"
        }
    }

    /// Returns whether an attribute of this type may hold `value`. NULL is always accepted here; see
    /// `isOptional`.
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

    /// Returns the value in the canonical form of this type if it can be converted: an integer becomes a REAL
    /// for a floating-point type, and a decimal gets its canonical text. Returns other values unchanged.
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
