import SectionedFetch
import ToolSupport

extension FieldConversion {
    /// Returns whether a type represents a text without loss, so that the type may be proposed for it.
    ///
    /// A text that converts to the type can still lose information: a code with leading zeros, a phone
    /// number, a number or a moment with more digits than the type holds, blanks where the type has no value.
    static func holds(_ bytes: UnsafeRawBufferPointer, as type: AttributeType) -> Bool {
        guard let value = value(bytes, as: type) else { return false }
        if value.isNull { return bytes.isEmpty }
        let text = trimmed(bytes)
        switch type {
        case .integer16, .integer32, .integer64: return !isCode(text)
        case .double, .float:
            guard !isCode(text), case .real(let number) = value else { return false }
            if text.contains(where: isOfFraction) {
                return isShown(text, by: type == .float ? Float(number).description : number.description)
            }
            return integer(text).map { Int64(exactly: number) == $0 } ?? isExact(text, number)
        // Shorter words, such as “1” or “no”, are more likely codes.
        case .boolean: return text.count >= 4
        case .date:
            guard case .real(let seconds) = value else { return false }
            return isKept(fraction(text), in: seconds)
        default: return true
        }
    }

    /// Returns whether a byte occurs in numbers but not in integers: a decimal point or an exponent sign.
    private static func isOfFraction(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
    }

    /// Returns whether digits are a code rather than a number: they begin with a zero, or with a plus sign as
    /// phone numbers do.
    private static func isCode(_ text: UnsafeRawBufferPointer) -> Bool {
        let isSigned = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        let start = isSigned ? 1 : 0
        if text.first == UInt8(ascii: "+"), text.count - start >= shortestPhoneNumber { return true }
        guard text.count > start + 1, text[start] == UInt8(ascii: "0") else { return false }
        return isDigit(text[start + 1])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// The smallest number of digits of a phone number with its country code.
    private static let shortestPhoneNumber = 7

    /// Returns whether a double equals the integer in a text exactly, for integers too large for an `Int64`.
    private static func isExact(_ text: UnsafeRawBufferPointer, _ number: Double) -> Bool {
        guard let integer = UInt64(String(decoding: text, as: UTF8.self)) else { return false }
        return UInt64(exactly: number) == integer
    }

    /// Returns whether a number with a fraction or an exponent equals the shortest text of its value, the
    /// one that Swift prints.
    private static func isShown(_ text: UnsafeRawBufferPointer, by shortest: String) -> Bool {
        guard let number = WrittenNumber(text) else { return false }
        return number == WrittenNumber(shortest)
    }

    /// The number of digits of a second's fraction that a date keeps, for dates in the centuries around ours.
    private static let mostFractionDigits = 6

    /// Returns whether a date keeps exactly this fraction of a second, not only the nearest value.
    private static func isKept(_ fraction: [UInt8], in seconds: Double) -> Bool {
        if fraction.isEmpty { return true }
        guard fraction.count <= mostFractionDigits, var shown = ISO8601Text.text(seconds) else {
            return false
        }
        return shown.withUTF8 { Self.fraction(UnsafeRawBufferPointer($0)) } == fraction
    }

    /// Returns the digits of the fraction of a second in an ISO 8601 text, without trailing zeros.
    private static func fraction(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")) else { return [] }
        var end = dot + 1
        while end < text.count, isDigit(text[end]) { end += 1 }
        while end > dot + 1, text[end - 1] == UInt8(ascii: "0") { end -= 1 }
        return Array(text[dot + 1..<end])
    }
}
