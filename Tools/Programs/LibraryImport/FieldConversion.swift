import Foundation
import SectionedFetch
import ToolSupport

/// Conversions of a field's bytes into a value of an attribute's type.
enum FieldConversion {
    /// Returns the value of a field, or nil if the bytes do not represent a value of the type.
    ///
    /// An absent field, and a blank field of a type other than string, convert to `.null`.
    static func value(_ bytes: UnsafeRawBufferPointer?, as type: AttributeType) -> StoredValue? {
        guard let bytes else { return .null }
        if type == .string { return .text(String(decoding: bytes, as: UTF8.self)) }
        let text = trimmed(bytes)
        if text.isEmpty { return .null }
        switch type {
        case .string: return nil
        case .integer16, .integer32, .integer64:
            guard let integer = integer(text) else { return nil }
            return type.accepts(.integer(integer)) ? .integer(integer) : nil
        case .double: return number(text).map(StoredValue.real)
        case .float:
            guard let number = number(text).map({ Float($0) }), number.isFinite else { return nil }
            return .real(Double(number))
        case .boolean: return boolean(text).map { .integer($0 ? 1 : 0) }
        case .date: return ISO8601Text.seconds(text).map(StoredValue.real)
        case .uuid: return UUID(uuidString: String(decoding: text, as: UTF8.self))?.storedValue
        case .binaryData, .transformable: return blob(text)
        case .decimal, .uri:
            let value = type.normalized(.text(String(decoding: text, as: UTF8.self)))
            return type.accepts(value) ? value : nil
        }
    }

    /// Returns whether a type changes a text: its value is another number, or a date with fewer digits.
    ///
    /// - Parameter text: A text that converts to the type.
    static func changes(_ text: UnsafeRawBufferPointer, as type: AttributeType) -> Bool {
        let text = trimmed(text)
        guard !text.isEmpty else { return false }
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal:
            return TextStyle(text, as: type) == nil
        case .date:
            guard case .real(let seconds) = value(text, as: .date) else { return false }
            return !isKept(fraction(text), in: seconds)
        default: return false
        }
    }

    /// Returns whether a type changes a number of a format with types, such as JSON, in which 1.10 and 1.1
    /// are equal.
    static func changes(number text: UnsafeRawBufferPointer, as type: AttributeType) -> Bool {
        guard let value = value(text, as: type) else { return true }
        switch type {
        case .integer16, .integer32, .integer64, .double, .float:
            guard let number = WrittenNumber(text) else {
                // The text has more digits than `WrittenNumber` holds.
                return TextStyle(text, as: type) == nil
            }
            return number != WrittenNumber(exactOrShortest(text, value, as: type))
        default: return false
        }
    }

    /// Returns the text of a stored number that the number's text in the file must equal: the exact text for
    /// an integer, and the shortest text of the value for another number, such as 8.956927072712734e+16.
    private static func exactOrShortest(
        _ text: UnsafeRawBufferPointer, _ value: StoredValue, as type: AttributeType
    ) -> String {
        guard case .real(let number) = value, TextStyle.integer(text) == nil else {
            return Self.text(of: value, as: type)
        }
        return type == .float ? Float(number).description : number.description
    }

    /// Returns whether a date keeps exactly this fraction of a second, not only the nearest value.
    private static func isKept(_ fraction: [UInt8], in seconds: Double) -> Bool {
        if fraction.isEmpty { return true }
        guard var shown = ISO8601Text.text(seconds) else { return false }
        return shown.withUTF8 { Self.fraction(UnsafeRawBufferPointer($0)) } == fraction
    }

    /// Returns the digits of the fraction of a second in an ISO 8601 text, without trailing zeros.
    private static func fraction(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")) else { return [] }
        let digits = text[(dot + 1)...].prefix { $0 >= 0x30 && $0 <= 0x39 }
        return Array(digits[...(digits.lastIndex { $0 != 0x30 } ?? digits.startIndex - 1)])
    }

    /// Returns the text of a value, as the value is displayed.
    static func text(of value: StoredValue, as type: AttributeType) -> String {
        switch value {
        case .null: ""
        case .integer(let integer): String(integer)
        case .real(let number):
            if type == .date {
                ISO8601Text.text(number) ?? "\(number)"
            } else {
                Int64(exactly: number).map(String.init)
                    ?? (type == .float ? Float(number).description : number.description)
            }
        case .text(let text): text
        case .blob: "binary data"
        }
    }

    /// Returns the name of a related object, or `.null` for an absent or empty field, which refers to none.
    static func name(_ bytes: UnsafeRawBufferPointer?) -> StoredValue {
        guard let bytes, !bytes.isEmpty else { return .null }
        return .text(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the integer in a text of digits with an optional sign, or nil if the text is not an integer or
    /// is out of range.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let start = isNegative || text.first == UInt8(ascii: "+") ? 1 : 0
        guard text.count > start else { return nil }
        var value: Int64 = 0
        for position in start..<text.count {
            let digit = Int64(text[position]) - 0x30
            guard digit >= 0, digit <= 9 else { return integerWithoutFraction(text) }
            // Accumulated as a negative number, because the negative range holds one more value.
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, underflow) = product.subtractingReportingOverflow(digit)
            guard !overflow, !underflow else { return nil }
            value = difference
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// Returns the integer in a text such as `2008.0`, as spreadsheets write integers.
    private static func integerWithoutFraction(_ text: UnsafeRawBufferPointer) -> Int64? {
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")), dot > 0, dot + 1 < text.count,
            text[(dot + 1)...].allSatisfy({ $0 == UInt8(ascii: "0") })
        else { return nil }
        return integer(UnsafeRawBufferPointer(rebasing: text[..<dot]))
    }

    /// Returns the finite number in a decimal text, or nil if the text is not one or a double cannot hold it.
    static func number(_ text: UnsafeRawBufferPointer) -> Double? {
        // `Double.init` also accepts “nan”, “inf” and hexadecimal numbers, which data files do not contain.
        guard text.allSatisfy(isOfNumber), let value = Double(String(decoding: text, as: UTF8.self)),
            value.isFinite
        else { return nil }
        if value != 0 { return value }
        // A number too small for a double is rejected, not rounded to zero.
        let significand = text.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
        return significand.contains { $0 >= 0x31 && $0 <= 0x39 } ? nil : value
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }

    static func boolean(_ text: UnsafeRawBufferPointer) -> Bool? {
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "yes", "y", "1": true
        case "false", "no", "n", "0": false
        default: nil
        }
    }

    private static func blob(_ text: UnsafeRawBufferPointer) -> StoredValue? {
        Data(base64Encoded: Data(text)).map { .blob(Array($0)) }
    }

    /// Returns the bytes without spaces and tabs at either end.
    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while start < end, isBlank(bytes[start]) { start += 1 }
        while end > start, isBlank(bytes[end - 1]) { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
