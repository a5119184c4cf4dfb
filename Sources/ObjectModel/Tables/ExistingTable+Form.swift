import Foundation

extension ExistingTable {
    /// A form in which a column of an existing table stores values that the library's own tables store
    /// differently.
    ///
    /// Rows, predicates, sort and section keys use the attribute's usual form: one conversion produces it,
    /// both in SQL and in memory. An existing index over such a column does not speed up predicates.
    public enum Form: String, Hashable, Sendable, Codable, CaseIterable {
        /// A date as seconds since 1970-01-01 00:00 UTC. Whole seconds are written as integers.
        case unixSeconds
        /// A date as whole milliseconds since 1970-01-01 00:00 UTC. A save rounds fractions of a millisecond.
        case unixMilliseconds
        /// A UUID as text, read in upper and lower case and written in lower case.
        case uuidText
        /// Bytes after a byte that tells where they are, as Core Data stores an attribute that allows
        /// external storage: after 1 follows the value, after 2 the name of a file in the directory
        /// `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store, where NAME is the store's name without extension.
        /// The file is read when the property is. Predicates do not see the bytes in files.
        case prefixedBytes

        /// The version of the conversions, part of every digest. Increase it when a form's values are read
        /// differently.
        package static let version: Int64 = 1

        /// The types of the attributes that can have the form, the most usual first.
        package var attributeTypes: [AttributeType] {
            switch self {
            case .unixSeconds, .unixMilliseconds: [.date]
            case .uuidText: [.uuid]
            case .prefixedBytes: [.binaryData, .transformable]
            }
        }

        /// Returns the attribute's value for a column's value. A value that is not in this form is returned
        /// unchanged, and reading it throws an error.
        package func value(ofColumn column: StoredValue) -> StoredValue {
            switch (self, column) {
            case (.unixSeconds, .integer(let seconds)): .real(Double(seconds) - Self.secondsBefore2001)
            case (.unixSeconds, .real(let seconds)): .real(seconds - Self.secondsBefore2001)
            case (.unixMilliseconds, .integer(let count)):
                .real(Double(count) / 1_000 - Self.secondsBefore2001)
            case (.unixMilliseconds, .real(let count)): .real(count / 1_000 - Self.secondsBefore2001)
            case (.uuidText, .text(let text)): UUID(uuidString: text)?.storedValue ?? column
            case (.prefixedBytes, .blob(let bytes)): Self.content(ofPrefixed: bytes)
            default: column
            }
        }

        /// Returns the column's value for an attribute's value.
        package func column(ofValue value: StoredValue) -> StoredValue {
            switch (self, value) {
            case (.unixSeconds, .real(let date)):
                Self.whole(date + Self.secondsBefore2001) ?? .real(date + Self.secondsBefore2001)
            case (.unixMilliseconds, .real(let date)):
                Self.whole(((date + Self.secondsBefore2001) * 1_000).rounded())
                    ?? .real((date + Self.secondsBefore2001) * 1_000)
            case (.uuidText, .blob):
                UUID(storedValue: value).map { .text($0.uuidString.lowercased()) } ?? value
            case (.prefixedBytes, .blob(let bytes)): .blob([1] + bytes)
            default: value
            }
        }

        /// Returns the bytes after the prefix 1, or the name of a file after the prefix 2, as a text. Bytes
        /// with another prefix are returned unchanged.
        private static func content(ofPrefixed bytes: [UInt8]) -> StoredValue {
            switch bytes.first {
            case 1: return .blob(Array(bytes.dropFirst()))
            case 2:
                // The name may end with a null byte.
                let name = bytes.dropFirst().prefix { $0 != 0 }
                let text = String(decoding: name, as: UTF8.self)
                return UUID(uuidString: text) == nil ? .blob(bytes) : .text(text)
            default: return .blob(bytes)
            }
        }

        /// The seconds from 1970-01-01 to 2001-01-01.
        private static let secondsBefore2001 = Date.timeIntervalBetween1970AndReferenceDate

        private static func whole(_ number: Double) -> StoredValue? {
            Int64(exactly: number).map(StoredValue.integer)
        }
    }
}

extension ExistingTable.Form {
    /// The SQL that converts a column of this form, by the function `sf_form`, which a connection registers.
    /// The function does not receive bytes.
    package func conversionSQL(ofColumn column: String) -> String {
        guard self == .prefixedBytes else { return "sf_form(\(column), '\(rawValue)')" }
        let hasPrefix = "typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'01'"
        return "CASE WHEN \(hasPrefix) THEN substr(\(column), 2) ELSE \(column) END"
    }
}
