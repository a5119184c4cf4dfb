import Foundation

/// A quotient of two measurements of the same run, which hardly depends on the machine.
package struct Ratio: Codable {
    /// The name of the ratio in `Tools/Benchmarks/Thresholds.txt`.
    package let name: String
    /// The numbers under which it was measured, such as `rows`; empty for ratios with a threshold.
    package let conditions: [String: Int]
    /// The quotient, or nil if one of the two was not measured.
    package let value: Double?

    /// Creates a ratio.
    ///
    /// - Parameters:
    ///   - name: The name in `Tools/Benchmarks/Thresholds.txt`, without spaces.
    ///   - value: The quotient.
    ///   - conditions: The numbers under which it was measured.
    package init(_ name: String, _ value: Double?, under conditions: [String: Int] = [:]) {
        self.name = name
        self.value = value
        self.conditions = conditions
    }

    /// Creates a ratio from two measurements.
    package init(
        _ name: String, _ dividend: Double?, by divisor: Double?, under conditions: [String: Int] = [:]
    ) {
        guard let dividend, let divisor, divisor > 0 else {
            self.init(name, nil, under: conditions)
            return
        }
        self.init(name, dividend / divisor, under: conditions)
    }

    /// Writes a line with the name and the value of each measured ratio, for `Tools/benchmark` to compare.
    package static func write(_ ratios: [Ratio], to path: String) throws {
        let lines = ratios.compactMap { ratio in ratio.value.map { "\(ratio.name) \($0)\n" } }
        try Data(lines.joined().utf8).write(to: URL(filePath: path))
    }
}
