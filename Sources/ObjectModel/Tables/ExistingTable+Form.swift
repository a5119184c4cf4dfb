import Foundation

extension ExistingTable {
    /// The form in which an owner's column has values that a store of ours keeps otherwise.
    ///
    /// Rows, predicates, sort and section keys see the attribute's usual form: one conversion makes it, in
    /// SQL as in memory. An index of the owner's over such a column helps no predicate.
    public enum Form: String, Hashable, Sendable, Codable, CaseIterable {
        /// A date as seconds since 1970-01-01 00:00 UTC. Whole seconds are written as integers.
        case unixSeconds
        /// A date as whole milliseconds since 1970-01-01 00:00 UTC. Fractions of them are rounded by a save.
        case unixMilliseconds
        /// A UUID as text, read in upper and lower case and written in lower case.
        case uuidText

        /// Rises when a form's values are read in another way; part of every digest.
        static let version: Int64 = 1

        /// The type of the attributes that can have the form.
        var attributeType: AttributeType {
            switch self {
            case .unixSeconds, .unixMilliseconds: .date
            case .uuidText: .uuid
            }
        }

        /// The attribute's value of what a column holds. What is not in the form stays as it is, and reading
        /// it says so.
        func value(ofColumn column: StoredValue) -> StoredValue {
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

        /// What a column holds of an attribute's value.
        func column(ofValue value: StoredValue) -> StoredValue {
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

        /// From 1970-01-01 to 2001-01-01.
        private static let secondsBefore2001 = Date.timeIntervalBetween1970AndReferenceDate

        private static func whole(_ number: Double) -> StoredValue? {
            Int64(exactly: number).map(StoredValue.integer)
        }
    }
}

extension ExistingTable.Form {
    /// The SQL that converts a column of this form, by the function `sf_form`, which a connection registers.
    func conversionSQL(ofColumn column: String) -> String { "sf_form(\(column), '\(rawValue)')" }
}
