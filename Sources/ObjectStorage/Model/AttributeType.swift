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
    /// An IEEE 754 number of 64 bits, kept as REAL. Not-a-number is refused, because SQLite would keep it as NULL.
    case double
    /// An IEEE 754 number of 32 bits, kept as REAL.
    case float
    /// True or false, kept as INTEGER 1 or 0.
    case boolean
    /// A moment, kept as REAL: seconds since 2001-01-01 00:00 UTC, which is exact for every Foundation `Date`.
    case date
    /// Bytes, kept as BLOB.
    case binaryData
    /// A UUID, kept as a BLOB of 16 bytes.
    case uuid

    /// The declared type of the SQLite column, which fixes its affinity.
    var columnType: String {
        switch self {
        case .string: "TEXT"
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .double, .float, .date: "REAL"
        case .binaryData, .uuid: "BLOB"
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
        case (.binaryData, .blob): true
        case (.uuid, .blob(let bytes)): bytes.count == 16
        default: false
        }
    }
}
