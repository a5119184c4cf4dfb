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

        /// The version of the conversions, part of every digest. Increase it when a form's values are read
        /// differently.
        package static let version: Int64 = 1

        /// The type of the attributes that can have the form.
        package var attributeType: AttributeType {
            switch self {
            case .unixSeconds, .unixMilliseconds: .date
            case .uuidText: .uuid
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
            default: value
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
    package func conversionSQL(ofColumn column: String) -> String { "sf_form(\(column), '\(rawValue)')" }
}
