package import Foundation

/// A decimal number of any length, read from text: the value 0.*digits* × 10^*exponent*, exactly.
///
/// Foundation's `Decimal` holds 38 digits and silently rounds longer numbers; this type does not round, so
/// that it can detect them.
package struct DecimalNumber: Hashable {
    private let isNegative: Bool
    /// The digits 0…9, of which the first and the last are not zero; empty for zero.
    private let digits: [UInt8]
    private let exponent: Int

    /// The largest number of digits that a decimal attribute stores; `Decimal` holds this many for every
    /// value.
    package static let maximumDigits = 38
    /// An exponent beyond any number in use, so that sums of exponents cannot overflow.
    private static let largestExponent = 100_000

    /// Parses a number such as `-12.50` or `1.5e3`; nil for any other text.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        var digits: [UInt8] = []
        var exponent = 0
        var hasPoint = false
        var hasDigit = false
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                hasDigit = true
                let digit = byte - UInt8(ascii: "0")
                if !digits.isEmpty || digit != 0 {
                    digits.append(digit)
                    if !hasPoint { exponent += 1 }
                } else if hasPoint {
                    exponent -= 1
                }
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            case UInt8(ascii: "e") where hasDigit, UInt8(ascii: "E") where hasDigit:
                guard let power = Int(Substring(rest.dropFirst())), power.magnitude <= Self.largestExponent
                else { return nil }
                exponent += power
                rest = rest[rest.endIndex...]
                continue
            default: return nil
            }
            rest.removeFirst()
        }
        guard hasDigit, abs(exponent) <= 2 * Self.largestExponent else { return nil }
        while digits.last == 0 { digits.removeLast() }
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
        self.isNegative = isNegative && !digits.isEmpty
    }

    /// Converts a text, an integer or a finite REAL; nil for any other value.
    package init?(_ value: StoredValue) {
        switch value {
        case .text(let text): self.init(text)
        case .integer(let value): self.init(String(value))
        // The shortest text that parses to the same number.
        case .real(let value) where value.isFinite: self.init(String(value))
        default: return nil
        }
    }

    /// Whether a decimal attribute can store the number exactly: up to 38 digits, the last of them between
    /// 10^−128 and 10^127, which is the range of Foundation's `Decimal`.
    package var isExact: Bool {
        digits.count <= Self.maximumDigits && (-128...127).contains(exponent - digits.count)
    }

    /// The number as a Foundation `Decimal`; nil if `Decimal` cannot hold it exactly.
    package var decimal: Decimal? {
        guard isExact else { return nil }
        // Foundation parses numbers with large exponents incorrectly, so it gets only the digits.
        guard let significand = Decimal(string: digits.isEmpty ? "0" : characters) else { return nil }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent - digits.count, significand: significand)
    }

    /// Returns the form in which decimals are compared, in SQL and in memory: the bytes of ``orderKey``; for
    /// a value that is not a number, bytes that come before those of all numbers.
    package static func comparable(_ value: StoredValue) -> StoredValue {
        value.isNull ? .null : .blob(DecimalNumber(value)?.orderKey ?? [0])
    }

    /// The canonical text of the number: digits without unnecessary zeros, and a point if it has a fraction.
    package var canonicalText: String {
        guard !digits.isEmpty else { return "0" }
        var text = isNegative ? "-" : ""
        if exponent <= 0 {
            text += "0." + String(repeating: "0", count: -exponent) + characters
        } else if exponent >= digits.count {
            text += characters + String(repeating: "0", count: exponent - digits.count)
        } else {
            text += characters.prefix(exponent) + "." + characters.dropFirst(exponent)
        }
        return text
    }

    private var characters: String { String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self) }

    /// Bytes that sort like the numbers, and are equal for equal numbers.
    package var orderKey: [UInt8] {
        guard !digits.isEmpty else { return [0x80] }
        let power = UInt32(bitPattern: Int32(exponent)) ^ 0x8000_0000
        let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: power >> $0) } + digits.map { $0 + 1 }
        // Of two numbers with the same leading digits the longer one is further from zero.
        return isNegative ? [0x40] + size.map { ~$0 } + [0xFF] : [0xC0] + size
    }
}

extension DecimalNumber: Comparable {
    /// Compares by value.
    package static func < (first: Self, second: Self) -> Bool {
        first.orderKey.lexicographicallyPrecedes(second.orderKey)
    }
}
