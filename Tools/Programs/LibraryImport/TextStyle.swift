import Foundation
import SectionedFetch

/// The way in which a text writes a value of a type, if the text can be computed from the value and its
/// style.
///
/// Texts of one style survive a conversion: `3` and `2.5` are written in one style, `3.0` in another, and
/// `1.10`, `1e2` and `007` in none. A column whose texts have one style may become an attribute of the type.
struct TextStyle: Hashable {
    private let code: Int

    /// The style of texts that are written alike in all styles of their type.
    static let any = TextStyle(code: 0)
    /// A whole number without a fraction.
    private static let whole = TextStyle(code: 1)
    /// A whole number with the fraction `.0`, or with the exponent that large numbers have.
    private static let fractional = TextStyle(code: 2)
    private static let lowercase = TextStyle(code: 1)
    private static let uppercase = TextStyle(code: 2)
    private static let capitalized = TextStyle(code: 3)

    private init(code: Int) { self.code = code }

    /// Returns the style of texts in this style and the other one; nil if no text has both.
    func common(with other: TextStyle) -> TextStyle? {
        if self == other || other == .any { return self }
        return self == .any ? other : nil
    }

    /// Determines the style of a text; nil if the text cannot be computed from its value of the type.
    ///
    /// - Parameter text: A text that is not empty.
    init?(_ text: UnsafeRawBufferPointer, as type: AttributeType) {
        let style: TextStyle? =
            switch type {
            case .integer16, .integer32, .integer64: Self.ofInteger(text, type)
            case .double:
                Self.ofNumber(text, holds: { Int64(exactly: Double($0)) == $0 }, shown: \.description)
            case .float:
                Self.ofNumber(
                    text, holds: { Int64(exactly: Float($0)) == $0 }, shown: { Float($0).description })
            case .boolean: Self.ofBoolean(text)
            case .date: Self.ofDate(text)
            case .uuid: Self.ofUUID(text)
            case .decimal:
                FieldConversion.value(text, as: type) == .text(String(decoding: text, as: UTF8.self))
                    ? .any : nil
            case .string, .uri, .binaryData, .transformable:
                FieldConversion.value(text, as: type) == nil ? nil : .any
            }
        guard let style else { return nil }
        self = style
    }

    /// Returns the integer that a text writes without a plus sign and without zeros before it.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        let start = text.first == UInt8(ascii: "-") ? 1 : 0
        guard start < text.count, text[start] != UInt8(ascii: "0") || text.count == 1,
            text[start...].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        return FieldConversion.integer(text)
    }

    private static func ofInteger(_ text: UnsafeRawBufferPointer, _ type: AttributeType) -> TextStyle? {
        integer(text).flatMap { type.accepts(.integer($0)) ? .any : nil }
    }

    /// Determines the style of a number; nil if the text cannot be computed from its value.
    ///
    /// - Parameters:
    ///   - holds: Returns whether the type holds an integer exactly.
    ///   - shown: Returns the shortest text of a number in the precision of the type.
    private static func ofNumber(
        _ text: UnsafeRawBufferPointer, holds: (Int64) -> Bool, shown: (Double) -> String
    ) -> TextStyle? {
        if let integer = integer(text) { return holds(integer) ? .whole : nil }
        // SQLite stores a negative zero as zero.
        guard let number = FieldConversion.number(text), number != 0 || number.sign == .plus else {
            return nil
        }
        var shown = shown(number)
        guard shown.withUTF8({ UnsafeRawBufferPointer($0).elementsEqual(text) }) else { return nil }
        return number.rounded() == number ? .fractional : .any
    }

    /// Determines the style of a Boolean value; nil for other texts. Shorter words, such as `1` or `no`, are
    /// more likely codes.
    private static func ofBoolean(_ text: UnsafeRawBufferPointer) -> TextStyle? {
        switch String(decoding: text, as: UTF8.self) {
        case "true", "false": .lowercase
        case "True", "False": .capitalized
        case "TRUE", "FALSE": .uppercase
        default: nil
        }
    }

    private static func ofUUID(_ text: UnsafeRawBufferPointer) -> TextStyle? {
        guard text.count == 36, FieldConversion.value(text, as: .uuid) != nil else { return nil }
        let hasUppercase = text.contains { (0x41...0x46).contains($0) }
        let hasLowercase = text.contains { (0x61...0x66).contains($0) }
        if hasUppercase { return hasLowercase ? nil : .uppercase }
        return hasLowercase ? .lowercase : .any
    }

    /// Determines the style of a date; nil if the text cannot be computed from its value.
    ///
    /// A date is written as the beginning of its ISO 8601 text in UTC, with `T` or a blank before the time,
    /// with or without `Z`, and with as many digits of a fraction as the style has.
    private static func ofDate(_ text: UnsafeRawBufferPointer) -> TextStyle? {
        guard case .real(let seconds) = FieldConversion.value(text, as: .date) else { return nil }
        let zone = text.last == UInt8(ascii: "Z") ? 1 : 0
        let body = UnsafeRawBufferPointer(rebasing: text.dropLast(zone))
        // The conversion has checked the digits. A text with another zone is longer than these.
        switch body.count {
        case 10, 16: break
        case 19:
            // A leap second is read as the next second.
            guard body[17] < UInt8(ascii: "6") else { return nil }
        default:
            guard var shown = ISO8601Text.text(seconds),
                shown.withUTF8({ isBeginning(body, of: UnsafeRawBufferPointer($0)) })
            else { return nil }
        }
        let separator = body.count > 10 && body[10] == UInt8(ascii: " ") ? 1 : 0
        return TextStyle(code: body.count * 4 + separator * 2 + zone)
    }

    /// Returns whether a text without a zone is the beginning of a date's text, and the rest has only zeros.
    private static func isBeginning(_ text: UnsafeRawBufferPointer, of shown: UnsafeRawBufferPointer) -> Bool
    {
        let shown = UnsafeRawBufferPointer(rebasing: shown.dropLast())
        for position in 0..<max(text.count, shown.count) {
            let byte = position < text.count ? text[position] : nil
            let expected = position < shown.count ? shown[position] : nil
            switch (byte, expected) {
            case (let byte?, let expected?):
                let isSeparator = position == 10 && byte == UInt8(ascii: " ")
                guard byte == expected || isSeparator else { return false }
            // Digits of a fraction beyond those of the shortest text, or parts of the time that are zero.
            case (let byte?, nil): guard byte == 0x30 || byte == 0x2E else { return false }
            case (nil, let expected?):
                guard [0x30, 0x2E, 0x3A, 0x54].contains(expected) else { return false }
            case (nil, nil): return false
            }
        }
        return true
    }
}
