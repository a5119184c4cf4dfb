/// The minimum, quartiles, percentiles and maximum of a set of numbers.
package struct Spread: Sendable {
    /// The numbers in the order in which they were measured.
    package let samples: [Double]
    private let sorted: [Double]

    /// Creates the spread of a set of numbers.
    ///
    /// - Parameter samples: At least one number.
    package init(_ samples: [Double]) {
        precondition(!samples.isEmpty, "A spread needs at least one value.")
        self.samples = samples
        sorted = samples.sorted()
    }

    /// The number of samples.
    package var count: Int { sorted.count }
    /// The smallest number.
    package var minimum: Double { sorted[0] }
    /// The number below which a quarter of the numbers are, interpolated.
    package var lowerQuartile: Double { quantile(0.25) }
    /// The median.
    package var median: Double { quantile(0.5) }
    /// The number below which three quarters of the numbers are, interpolated.
    package var upperQuartile: Double { quantile(0.75) }
    /// The 95th percentile.
    package var percentile95: Double { percentile(95) }
    /// The 99th percentile: one number in a hundred is greater.
    package var percentile99: Double { percentile(99) }
    /// The greatest number.
    package var maximum: Double { sorted[count - 1] }

    /// Returns the number at a fraction of the sorted numbers, interpolated between its neighbours.
    private func quantile(_ fraction: Double) -> Double {
        let position = Double(count - 1) * fraction
        let index = Int(position)
        guard index + 1 < count else { return sorted[index] }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
    }

    /// Returns the smallest number that at least `percent` in a hundred numbers do not exceed.
    private func percentile(_ percent: Int) -> Double { sorted[(count * percent + 99) / 100 - 1] }
}

extension Spread: Codable {
    private enum CodingKeys: String, CodingKey {
        case count, minimum, lowerQuartile, median, upperQuartile, percentile95, percentile99, maximum,
            samples
    }

    /// Encodes the samples and the numbers that are computed from them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(count, forKey: .count)
        try container.encode(minimum, forKey: .minimum)
        try container.encode(lowerQuartile, forKey: .lowerQuartile)
        try container.encode(median, forKey: .median)
        try container.encode(upperQuartile, forKey: .upperQuartile)
        try container.encode(percentile95, forKey: .percentile95)
        try container.encode(percentile99, forKey: .percentile99)
        try container.encode(maximum, forKey: .maximum)
        try container.encode(samples, forKey: .samples)
    }

    /// Decodes the samples; the other numbers follow from them.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let samples = try container.decode([Double].self, forKey: .samples)
        guard !samples.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .samples, in: container, debugDescription: "There are no samples.")
        }
        self.init(samples)
    }
}
