public import Foundation
import ObjectModel

/// Keys of numbers.
extension KeyExpression {
    /// Returns the range that contains a number, of ranges of equal length: with a step of 10, 20 is in
    /// “20 to 30”, which includes 20 and excludes 30. A missing value stays missing.
    ///
    /// The value of the expression is the lower bound of the range. Rows that are sorted by the number are
    /// grouped by their ranges. Numbers beyond 10¹⁵ steps or, with an integer step, beyond 64-bit integers
    /// are in a last or a first range.
    ///
    /// A floating-point number is compared by its shortest decimal form: 0.3 is in “0.3 to 0.4”.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute of integers, floating-point numbers or decimals.
    ///   - step: The length of a range, above 0. One range begins at 0.
    public static func range(of path: String, step: Decimal) -> Self {
        Self(path: path, function: .range(NumberRanges(step: step)))
    }

    /// Returns the range that contains a number, of ranges between bounds: with 1950, 1980 and 2000 the
    /// ranges “below 1950”, “1950 to 1980”, “1980 to 2000” and “2000 and above”. Each includes its lower
    /// bound and excludes its upper bound. A missing value stays missing.
    ///
    /// The value of the expression is the lower bound of the range, and a number below all bounds for the
    /// first range. Rows that are sorted by the number are grouped by their ranges.
    ///
    /// - Parameters:
    ///   - path: A dotted key path to an attribute of integers, floating-point numbers or decimals.
    ///   - bounds: The bounds, in any order; at least one.
    public static func range(of path: String, bounds: [Decimal]) -> Self {
        Self(path: path, function: .range(NumberRanges(bounds: bounds)))
    }
}
