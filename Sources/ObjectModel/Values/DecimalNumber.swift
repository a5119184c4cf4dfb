import Foundation

/// A decimal number of any length, read from text: the value 0.*digits* × 10^*exponent*, exactly.
///
/// Foundation's `Decimal` holds 38 digits and rounds what is longer without a word; this does not round, so
/// that it can tell.
struct DecimalNumber: Hashable {
    private let isNegative: Bool
    /// 0…9, the first and the last not zero; none for zero.
    private let digits: [UInt8]
    private let exponent: Int

    /// The most digits that a decimal attribute keeps, as many as `Decimal` does for every value.
    static let maximumDigits = 38
    /// More than any number in use, so that sums of exponents cannot overflow.
    private static let largestExponent = 100_000

    /// Reads a number such as `-12.50` or `1.5e3`; nil for anything else.
    init?(_ text: String) {
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

    /// The number that a value stands for; nil for none.
    init?(_ value: StoredValue) {
        switch value {
        case .text(let text): self.init(text)
        case .integer(let value): self.init(String(value))
        // The shortest text that gives the same number back.
        case .real(let value) where value.isFinite: self.init(String(value))
        default: return nil
        }
    }

    /// Whether a decimal attribute can keep the number exactly: up to 38 digits, the last of them between
    /// 10^−128 and 10^127, which is what Foundation's `Decimal` holds.
    var isExact: Bool {
        digits.count <= Self.maximumDigits && (-128...127).contains(exponent - digits.count)
    }

    /// The number as Foundation's; nil if that cannot hold it exactly.
    var decimal: Decimal? {
        guard isExact else { return nil }
        // Foundation reads numbers with large exponents wrongly, so it is given digits alone.
        guard let significand = Decimal(string: digits.isEmpty ? "0" : characters) else { return nil }
        return Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent - digits.count, significand: significand)
    }

    /// The form in which decimals are compared, in SQL and in memory: the order's bytes; for what is no
    /// number, bytes that come before those of all numbers.
    static func comparable(_ value: StoredValue) -> StoredValue {
        value.isNull ? .null : .blob(DecimalNumber(value)?.orderKey ?? [0])
    }

    /// The one text of the number: digits without needless zeros, and a point if there is a fraction.
    var canonicalText: String {
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

    /// Bytes that have the order of the numbers, and are the same for the same number.
    var orderKey: [UInt8] {
        guard !digits.isEmpty else { return [0x80] }
        let power = UInt32(bitPattern: Int32(exponent)) ^ 0x8000_0000
        let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: power >> $0) } + digits.map { $0 + 1 }
        // Of two numbers that begin alike the longer one is further from zero.
        return isNegative ? [0x40] + size.map { ~$0 } + [0xFF] : [0xC0] + size
    }
}

extension DecimalNumber: Comparable {
    /// By value.
    static func < (first: Self, second: Self) -> Bool {
        first.orderKey.lexicographicallyPrecedes(second.orderKey)
    }
}
