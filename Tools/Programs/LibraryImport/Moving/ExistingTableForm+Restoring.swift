import Foundation
import SectionedFetch

extension StoredRow {
    /// Returns the form in which the column of a slot stores its values; nil for the usual one.
    func form(ofSlot slot: Int) -> ExistingTable.Form? {
        let attributes = entity.storedAttributes
        guard attributes.indices.contains(slot),
            let forms = entity.existingTable?.forms
        else { return nil }
        return forms[attributes[slot].name]
    }
}

extension ExistingTable.Form {
    /// Returns whether two values of a column have the same meaning: the same number, the same UUID in any
    /// notation, or the same time with all digits and in the same zone.
    func isEquivalent(_ column: StoredValue, to restored: StoredValue) -> Bool {
        switch (column, restored) {
        case (.text(let first), .text(let second)) where first == second: true
        case (.text(let first), .text(let second)):
            switch self {
            case .uuidText: first.lowercased() == second.lowercased()
            case .dayText, .dateTimeText, .dateTimeZoneText, .iso8601Text:
                WrittenTime(first).map { $0 == WrittenTime(second) } ?? false
            default: false
            }
        case (.integer(let first), .text(let second)): self == .numberOrText && Int64(second) == first
        case (.real(let first), .text(let second)): self == .numberOrText && Double(second) == first
        case (.integer(let first), .real(let second)): Double(exactly: first) == second
        case (.real(let first), .integer(let second)): Double(exactly: second) == first
        default: column == restored
        }
    }
}

/// A time as a text states it, with all digits of the fraction.
private struct WrittenTime: Equatable {
    /// The whole seconds since 2001-01-01 UTC.
    let seconds: Double
    /// The digits of the fraction without zeros at the end.
    let fraction: String
    /// The offset of the zone from UTC, in seconds; 0 for a time without a zone.
    let offset: Double

    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? parts[1].prefix { $0.isASCII && $0.isNumber } : ""
        let whole = String(parts[0]) + (parts.count == 2 ? parts[1].dropFirst(digits.count) : "")
        // After the day, only a zone contains a letter, a plus or a minus sign.
        let time = whole.dropFirst(11)
        let local = whole.prefix(11) + time.prefix { !"Zz+-".contains($0) }
        guard let seconds = ISO8601Text.seconds(whole), let localSeconds = ISO8601Text.seconds(String(local))
        else { return nil }
        self.seconds = seconds
        offset = localSeconds - seconds
        let zeros = digits.reversed().prefix { $0 == "0" }.count
        fraction = String(digits.dropLast(zeros))
    }
}
