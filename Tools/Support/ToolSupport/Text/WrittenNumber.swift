/// The number that a text in decimal digits says, never rounded: `0.50`, `.5` and `5e-1` are one.
package struct WrittenNumber: Hashable, Sendable {
    private let isNegative: Bool
    /// The digits, without zeros at either end.
    private let significand: UInt64
    /// The power of ten by which they are multiplied.
    private let exponent: Int

    /// Reads a number. Nil if the text is none, or its significant digits are more than 64 bits hold: 19, or
    /// some of 20.
    package init?(_ text: UnsafeRawBufferPointer) {
        var rest = text[...]
        let isNegative = Self.skipSign(&rest)
        var significand: UInt64 = 0
        var exponent = 0
        // Zeros that only count if another digit follows.
        var zeros = 0
        var isFraction = false
        var hasDigits = false
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
                continue
            }
            guard let digit = Self.digit(byte) else { return nil }
            hasDigits = true
            if isFraction { exponent -= 1 }
            if digit == 0 {
                if significand > 0 { zeros += 1 }
                continue
            }
            for _ in 0..<zeros { guard Self.append(0, to: &significand) else { return nil } }
            guard Self.append(digit, to: &significand) else { return nil }
            zeros = 0
        }
        guard hasDigits, let written = Self.exponent(rest) else { return nil }
        // Zero is the same whatever it is multiplied by.
        self.isNegative = isNegative && significand > 0
        self.significand = significand
        self.exponent = significand > 0 ? exponent + zeros + written : 0
    }

    /// Reads a number, as the other initializer does.
    package init?(_ text: String) {
        var text = text
        guard let number = text.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = number
    }

    /// The number as an integer; nil if it has a fraction or does not fit.
    package var integer: Int64? {
        var digits = significand
        guard exponent >= 0 else { return nil }
        for _ in 0..<exponent { guard Self.append(0, to: &digits) else { return nil } }
        return isNegative ? Int64(exactly: -Int128(digits)) : Int64(exactly: digits)
    }

    /// The exponent that ends a text, 0 if it ends without; nil if something else is there, or one beyond all
    /// doubles.
    private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
        if text.isEmpty { return 0 }
        var rest = text.dropFirst()
        let isNegative = skipSign(&rest)
        guard !rest.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in rest {
            guard let digit = digit(byte), append(digit, to: &value) else { return nil }
        }
        guard value <= UInt32.max else { return nil }
        return isNegative ? -Int(value) : Int(value)
    }

    /// Whether there was a minus sign.
    private static func skipSign(_ text: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
            return false
        }
        text = text.dropFirst()
        return sign == UInt8(ascii: "-")
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        (0x30...0x39).contains(byte) ? UInt64(byte) - 0x30 : nil
    }

    /// False if there is no room for one more digit.
    private static func append(_ digit: UInt64, to number: inout UInt64) -> Bool {
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
        let (sum, overflow) = product.addingReportingOverflow(digit)
        number = sum
        return !isTooLarge && !overflow
    }
}
