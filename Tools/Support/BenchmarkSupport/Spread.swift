/// The minimum, the median and the 95th percentile of a set of numbers.
package struct Spread: Codable {
    /// The smallest number.
    package let minimum: Double
    /// The median.
    package let median: Double
    /// The 95th percentile.
    package let percentile95: Double

    /// Creates the spread of a set of numbers.
    ///
    /// - Parameter values: At least one number.
    package init(_ values: [Double]) {
        let sorted = values.sorted()
        precondition(!sorted.isEmpty, "A spread needs at least one value.")
        minimum = sorted[0]
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        percentile95 = sorted[Int((Double(sorted.count) * 0.95).rounded(.up)) - 1]
    }
}
