/// The text of numbers with units, independent of the locale.
package enum Quantity {
    /// Returns a count with a comma after every three digits: `123,919`.
    package static func count(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) { result.append(",") }
            result.append(digit)
        }
        return (number < 0 ? "-" : "") + result
    }

    /// Returns a count with a noun: `1 row`, `2 rows`.
    package static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// Returns a duration in a suitable unit, to three digits: `412 µs`, `3.42 ms`, `1.20 s`, `2 min 5 s`.
    package static func duration(_ duration: Duration) -> String {
        let seconds = seconds(duration)
        switch seconds.magnitude {
        case ..<0.000_999_5: return "\(decimal(seconds * 1_000_000, digitsAfterPoint: 0)) µs"
        case ..<0.999_5: return "\(threeDigits(seconds * 1_000)) ms"
        case ..<59.95: return "\(threeDigits(seconds)) s"
        default:
            let whole = Int(seconds.rounded())
            let parts = [(whole / 3_600, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
            return parts.drop { $0.0 == 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
        }
    }

    /// Returns a duration as a number of seconds.
    package static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Returns a number of bytes in a suitable binary unit: `512 B`, `8.06 MiB`.
    package static func bytes(_ byteCount: Int) -> String {
        guard byteCount >= 1_024 else { return "\(byteCount) B" }
        var value = Double(byteCount)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB"] where value >= 999.5 || unit.isEmpty {
            value /= 1_024
            unit = next
        }
        return "\(threeDigits(value)) \(unit)"
    }

    private static func threeDigits(_ value: Double) -> String {
        switch value.magnitude {
        case ..<9.995: decimal(value, digitsAfterPoint: 2)
        case ..<99.95: decimal(value, digitsAfterPoint: 1)
        default: decimal(value, digitsAfterPoint: 0)
        }
    }

    private static func decimal(_ value: Double, digitsAfterPoint: Int) -> String {
        guard digitsAfterPoint > 0 else { return String(Int(value.rounded())) }
        let scale = digitsAfterPoint == 1 ? 10 : 100
        let scaled = Int((value.magnitude * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let zeros = String(repeating: "0", count: digitsAfterPoint - fraction.count)
        return "\(value < 0 ? "-" : "")\(scaled / scale).\(zeros)\(fraction)"
    }
}
