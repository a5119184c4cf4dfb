/// The exact number in a decimal text, never rounded: `0.50`, `.5` and `5e-1` are equal.
package struct WrittenNumber: Hashable, Sendable {
    private let isNegative: Bool
    /// The digits, without zeros at either end.
    private let significand: UInt64
    /// The power of ten by which the significand is multiplied.
    private let exponent: Int

    /// Creates a number from UTF-8 bytes, or nil if they are not a number, or if its significant digits do
    /// not fit 64 bits. All numbers of 19 digits fit, and some of 20.
    package init?(_ text: UnsafeRawBufferPointer) {
        var rest = text[...]
        let isNegative = Self.skipSign(&rest)
        var significand: UInt64 = 0
        var exponent = 0
        // The number of zeros that belong to the significand only if another digit follows.
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
        // Zero has one form, without a sign or an exponent.
        self.isNegative = isNegative && significand > 0
        self.significand = significand
        self.exponent = significand > 0 ? exponent + zeros + written : 0
    }

    /// Creates a number from a text, or nil under the same conditions as from bytes.
    package init?(_ text: String) {
        var text = text
        guard let number = text.withUTF8({ Self(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = number
    }

    /// The number as an integer, or nil if it has a fraction or does not fit 64 bits.
    package var integer: Int64? {
        var digits = significand
        guard exponent >= 0 else { return nil }
        for _ in 0..<exponent { guard Self.append(0, to: &digits) else { return nil } }
        return isNegative ? Int64(exactly: -Int128(digits)) : Int64(exactly: digits)
    }

    /// Returns the exponent at the end of a text, 0 for an empty text, or nil if the text is not an exponent
    /// or is beyond the range of doubles.
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

    /// Skips a sign and returns whether it is a minus sign.
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

    /// Appends a digit to a number and returns false if the result overflows.
    private static func append(_ digit: UInt64, to number: inout UInt64) -> Bool {
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
        let (sum, overflow) = product.addingReportingOverflow(digit)
        number = sum
        return !isTooLarge && !overflow
    }
}
