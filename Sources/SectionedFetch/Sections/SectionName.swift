import Foundation
import ObjectStorage

/// Formats the keys of sections as names and index titles.
enum SectionName {
    /// Returns the name of a section with this key: the text itself, a number in decimal digits, an ISO 8601
    /// date.
    ///
    /// The name for no value is empty, as is the name for the empty text; they are nevertheless different
    /// sections.
    static func name(of key: StoredValue, expression: KeyExpression, type: AttributeType?) -> String {
        switch key {
        case .null: return ""
        case .text(let text): return text
        case .integer(let number):
            guard case .month = expression.function else { return String(number) }
            return monthName(number)
        case .real(let number):
            guard type == .date else { return String(number) }
            return ISO8601Text.text(number) ?? "\(number) s"
        case .blob(let bytes):
            if type == .uuid, let uuid = UUID(storedValue: key) { return uuid.uuidString }
            return bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    /// Returns the name of a month that is stored as year × 100 + month: “2024-03”.
    private static func monthName(_ number: Int64) -> String {
        let month = ((number % 100) + 100) % 100
        let year = number / 100 - (number % 100 < 0 ? 1 : 0)
        let digits = String(year.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        return "\(year < 0 ? "-" : "")\(padded)-\(month < 10 ? "0" : "")\(month)"
    }

    /// Returns the title of a section in an index bar: the first user-perceived character of its name, in
    /// upper case unless that would be more than one character, as for ß.
    static func indexTitle(of name: String) -> String {
        guard let first = name.first else { return "" }
        let upper = String(first).uppercased()
        return upper.count == 1 ? upper : String(first)
    }
}
