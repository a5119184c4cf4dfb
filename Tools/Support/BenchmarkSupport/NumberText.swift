import Foundation

extension Double {
    /// The number with three significant digits.
    package var threeDigits: String {
        let size = magnitude
        if size >= 1_000 { return Int(rounded()).grouped }
        if size >= 100 { return String(Int(rounded())) }
        return String(format: size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f", self)
    }
}

extension Int {
    /// The number with commas between thousands.
    package var grouped: String {
        var digits = String(magnitude)
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
            position -= 3
        }
        return self < 0 ? "-" + digits : digits
    }
}

extension Spread: CustomStringConvertible {
    /// The median, with the minimum and the 95th percentile.
    package var description: String {
        "\(median.threeDigits) (\(minimum.threeDigits) … \(percentile95.threeDigits))"
    }
}
