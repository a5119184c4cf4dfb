/// The least, the middle and nearly the greatest of some numbers.
package struct Spread: Codable {
    package let minimum: Double
    package let median: Double
    package let percentile95: Double

    /// - Parameter values: At least one.
    package init(_ values: [Double]) {
        let sorted = values.sorted()
        precondition(!sorted.isEmpty, "There is no spread of no values.")
        minimum = sorted[0]
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        percentile95 = sorted[Int((Double(sorted.count) * 0.95).rounded(.up)) - 1]
    }
}
