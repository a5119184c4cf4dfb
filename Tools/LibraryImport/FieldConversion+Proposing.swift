import SectionedFetch

extension FieldConversion {
    /// Whether a value of a type says all that its text says, so that the type may be proposed for it.
    ///
    /// A text that is a value of the type may be more than that: a code with leading zeros, a phone number, a number with more digits than
    /// the type holds.
    static func holds(_ bytes: UnsafeRawBufferPointer, as type: AttributeType) -> Bool {
        guard let value = value(bytes, as: type) else { return false }
        if value.isNull { return true }
        let text = trimmed(bytes)
        switch type {
        case .integer16, .integer32, .integer64: return !isCode(text)
        case .double, .float:
            guard !isCode(text) else { return false }
            // An integer is rounded where it has too many digits; of a fraction that is expected.
            guard case .real(let number) = value, !text.contains(where: { ".eE".utf8.contains($0) }) else {
                return true
            }
            return integer(text).map { Int64(exactly: number) == $0 } ?? isExact(text, number)
        // Short words are rather codes.
        case .boolean: return text.count >= 4
        default: return true
        }
    }

    /// Whether digits are a code and not a number: one that begins with a zero, or with a plus sign as phone numbers do.
    private static func isCode(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        let isSigned = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        let digits = isSigned ? text.dropFirst() : text
        if text.first == UInt8(ascii: "+"), digits.count >= shortestPhoneNumber { return true }
        guard digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first else { return false }
        return (0x30...0x39).contains(second)
    }

    /// Digits of a phone number with its country.
    private static let shortestPhoneNumber = 7

    /// Whether a double is just the integer that digits say which are too many for an `Int64`.
    private static func isExact(_ text: Slice<UnsafeRawBufferPointer>, _ number: Double) -> Bool {
        guard let integer = UInt64(String(decoding: text, as: UTF8.self)) else { return false }
        return UInt64(exactly: number) == integer
    }
}
