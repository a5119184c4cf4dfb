import Foundation

extension Double {
    /// The number with three significant digits.
    package var threeDigits: String {
        if self >= 1_000 { return Int(rounded()).grouped }
        if self >= 100 { return String(Int(rounded())) }
        return String(format: self >= 10 ? "%.1f" : self >= 1 ? "%.2f" : "%.3f", self)
    }
}

extension Int {
    /// The number with commas between thousands.
    package var grouped: String {
        var digits = String(self)
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
            position -= 3
        }
        return digits
    }
}

extension Spread: CustomStringConvertible {
    /// The median, with the minimum and the 95th percentile.
    package var description: String {
        "\(median.threeDigits) (\(minimum.threeDigits) … \(percentile95.threeDigits))"
    }
}
