import Foundation
import SectionedFetch
import ToolSupport

/// Turns a field's bytes into a value of an attribute's type.
enum FieldConversion {
    /// The value; nil if the bytes are none of the type's values. No bytes, and no text for types other than
    /// string, are no value.
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
        case .date: return MomentText.seconds(text).map(StoredValue.real)
        case .uuid: return UUID(uuidString: String(decoding: text, as: UTF8.self))?.storedValue
        case .binaryData, .transformable: return blob(text)
        case .decimal, .uri:
            let value = type.normalized(.text(String(decoding: text, as: UTF8.self)))
            return type.accepts(value) ? value : nil
        }
    }

    /// The name of another object; no value for an empty one, which leads nowhere.
    static func name(_ bytes: UnsafeRawBufferPointer?) -> StoredValue {
        guard let bytes, !bytes.isEmpty else { return .null }
        return .text(String(decoding: bytes, as: UTF8.self))
    }

    static func integer(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        var value: Int64 = 0
        var digits = text
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard !digits.isEmpty else { return nil }
        for byte in digits {
            let digit = Int64(byte) - 0x30
            guard (0...9).contains(digit) else { return integerWithoutFraction(text) }
            // Built up on the negative side, where there is room for one value more.
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, underflow) = product.subtractingReportingOverflow(digit)
            guard !overflow, !underflow else { return nil }
            value = difference
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// A number such as `2008.0`, as spreadsheets write integers.
    private static func integerWithoutFraction(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")), dot > text.startIndex else { return nil }
        let fraction = text[text.index(after: dot)...]
        guard !fraction.isEmpty, fraction.allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        return integer(text[..<dot])
    }

    static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Double? {
        // Swift also reads “nan”, “inf” and hexadecimal numbers, which no file means.
        guard text.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite
        else { return nil }
        // What is too small for a double is no zero.
        let significand = text.prefix { !"eE".utf8.contains($0) }
        return value == 0 && significand.contains { (0x31...0x39).contains($0) } ? nil : value
    }

    static func boolean(_ text: Slice<UnsafeRawBufferPointer>) -> Bool? {
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "yes", "y", "1": true
        case "false", "no", "n", "0": false
        default: nil
        }
    }

    private static func blob(_ text: Slice<UnsafeRawBufferPointer>) -> StoredValue? {
        Data(base64Encoded: Data(text)).map { .blob(Array($0)) }
    }

    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        var slice = bytes[...]
        while let first = slice.first, first == 0x20 || first == 0x09 { slice = slice.dropFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice = slice.dropLast() }
        return slice
    }
}
