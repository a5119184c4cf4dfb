import Foundation

extension ExistingTable {
    /// A form in which a column of an external table stores values that the library's own tables store
    /// differently.
    ///
    /// Rows, predicates, sort and section keys use the attribute's usual form: one conversion produces it,
    /// both in SQL and in memory. An existing index over such a column does not speed up predicates.
    ///
    /// Dates as text are read in any ISO 8601 notation with a day, with or without a time. A text without a
    /// zone is read as UTC. The form determines the notation in which dates are written.
    public enum Form: String, Hashable, Sendable, Codable, CaseIterable {
        /// A date as seconds since 1970-01-01 00:00 UTC. Whole seconds are written as integers.
        case unixSeconds
        /// A date as whole milliseconds since 1970-01-01 00:00 UTC. A save rounds fractions of a millisecond.
        case unixMilliseconds
        /// A date as whole microseconds since 1970-01-01 00:00 UTC, as in Firefox's databases.
        case unixMicroseconds
        /// A date as whole microseconds since 1601-01-01 00:00 UTC, as in Chromium's databases.
        case microsecondsSince1601
        /// A day as text, `2024-03-01`. A save drops the time of day.
        case dayText
        /// A date as text in UTC without a zone, `2024-03-01 12:00:00`, with six digits for a fraction of a
        /// second, as SQLite's `CURRENT_TIMESTAMP`, Django and Rails write it.
        case dateTimeText
        /// A date as text with a zone, `2024-03-01 12:00:00+00:00`, with six digits for a fraction of a
        /// second. A save writes it in UTC.
        case dateTimeZoneText
        /// A date as text, `2024-03-01T12:00:00Z`, with three or six digits for a fraction of a second.
        case iso8601Text
        /// A UUID as text, read in upper and lower case and written in lower case.
        case uuidText
        /// A text in a column that also contains numbers, which are read as their digits.
        case numberOrText
        /// Bytes with a prefix byte, as Core Data stores an attribute that allows external storage. After the
        /// prefix 1 follows the value. After the prefix 2 follows the name of a file in the directory
        /// `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store, where NAME is the store's name without extension.
        /// The file is read when the property is read. Predicates do not see bytes in files.
        case prefixedBytes

        /// The version of the conversions, part of every digest. Increase it when a form's values are read
        /// differently.
        package static let version: Int64 = 1

        /// The types of the attributes that can have the form, the most usual first.
        package var attributeTypes: [AttributeType] {
            switch self {
            case .uuidText: [.uuid]
            case .numberOrText: [.string]
            case .prefixedBytes: [.binaryData, .transformable]
            default: [.date]
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
            case (.unixMicroseconds, .integer(let count)), (.microsecondsSince1601, .integer(let count)):
                Self.date(ofMicroseconds: count, before2001: microsecondsBefore2001) ?? column
            case (.uuidText, .text(let text)): UUID(uuidString: text)?.storedValue ?? column
            case (.numberOrText, .integer(let number)): .text(String(number))
            case (.numberOrText, .real(let number)): .text(String(number))
            case (.dayText, .text(let text)), (.dateTimeText, .text(let text)),
                (.dateTimeZoneText, .text(let text)), (.iso8601Text, .text(let text)):
                ISO8601Text.seconds(text).map(StoredValue.real) ?? column
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
            case (.unixMicroseconds, .real(let date)), (.microsecondsSince1601, .real(let date)):
                Self.microseconds(ofDate: date, before2001: microsecondsBefore2001) ?? value
            case (.uuidText, .blob):
                UUID(storedValue: value).map { .text($0.uuidString.lowercased()) } ?? value
            case (.dayText, .real(let date)), (.dateTimeText, .real(let date)),
                (.dateTimeZoneText, .real(let date)), (.iso8601Text, .real(let date)):
                text(ofDate: date).map(StoredValue.text) ?? value
            case (.prefixedBytes, .blob(let bytes)): .blob([1] + bytes)
            case (.prefixedBytes, .text(let fileName)): .blob([2] + Array(fileName.utf8) + [0])
            default: value
            }
        }

        /// Returns the bytes after the prefix 1, or the name of a file after the prefix 2 as text. Bytes with
        /// another prefix are returned unchanged.
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
    }
}

extension ExistingTable.Form {
    /// Returns SQL that converts a column of this form with the function `sf_form`, which a connection
    /// registers. Bytes with a prefix are converted without the function.
    package func conversionSQL(ofColumn column: String) -> String {
        guard self == .prefixedBytes else { return "sf_form(\(column), '\(rawValue)')" }
        let hasPrefix = "typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) = x'01'"
        return "CASE WHEN \(hasPrefix) THEN substr(\(column), 2) ELSE \(column) END"
    }

    /// The seconds from 1970-01-01 to 2001-01-01.
    private static let secondsBefore2001 = Date.timeIntervalBetween1970AndReferenceDate

    /// The microseconds from the date at which the form's count begins to 2001-01-01.
    private var microsecondsBefore2001: Int64 {
        // 1601-01-01 is 134,774 days before 1970-01-01.
        let seconds = Int64(Self.secondsBefore2001) + (self == .microsecondsSince1601 ? 134_774 * 86_400 : 0)
        return seconds * 1_000_000
    }

    private static func whole(_ number: Double) -> StoredValue? {
        Int64(exactly: number).map(StoredValue.integer)
    }

    /// Returns the date of a number of microseconds. The difference is computed as an integer, because a
    /// count since 1601 has more digits than a floating-point number.
    private static func date(ofMicroseconds count: Int64, before2001 offset: Int64) -> StoredValue? {
        let (difference, isOverflow) = count.subtractingReportingOverflow(offset)
        return isOverflow ? nil : .real(Double(difference) / 1_000_000)
    }

    private static func microseconds(ofDate date: Double, before2001 offset: Int64) -> StoredValue? {
        guard let count = Int64(exactly: (date * 1_000_000).rounded()) else { return nil }
        let (sum, isOverflow) = count.addingReportingOverflow(offset)
        return isOverflow ? nil : .integer(sum)
    }

    /// Returns the text of a date in this form; nil for another form, and outside the years of four digits.
    private func text(ofDate date: Double) -> String? {
        guard let count = Int64(exactly: (date * 1_000_000).rounded()) else { return nil }
        let seconds = CivilCalendar.floorDivide(count, 1_000_000)
        let microseconds = count - seconds * 1_000_000
        guard let text = ISO8601Text.text(Double(seconds)) else { return nil }
        var fraction = ""
        if microseconds > 0 {
            let isMilliseconds = self == .iso8601Text && microseconds % 1_000 == 0
            let digits = String(isMilliseconds ? microseconds / 1_000 : microseconds)
            fraction = "." + String(repeating: "0", count: (isMilliseconds ? 3 : 6) - digits.count) + digits
        }
        let (day, time) = (text.prefix(10), text.dropFirst(11).dropLast())
        return switch self {
        case .dayText: String(day)
        case .dateTimeText: "\(day) \(time)\(fraction)"
        case .dateTimeZoneText: "\(day) \(time)\(fraction)+00:00"
        case .iso8601Text: "\(day)T\(time)\(fraction)Z"
        default: nil
        }
    }
}
