import Foundation

/// A figure that hardly depends on the machine: one measurement by another of the same run.
package struct Ratio {
    package let name: String
    /// Nil if one of the two was not measured.
    package let value: Double?

    /// - Parameter name: What `Tools/Benchmarks/Thresholds.txt` calls it: without blanks.
    package init(_ name: String, _ value: Double?) {
        self.name = name
        self.value = value
    }

    /// The quotient of two measurements.
    package init(_ name: String, _ dividend: Double?, by divisor: Double?) {
        guard let dividend, let divisor, divisor > 0 else {
            self.init(name, nil)
            return
        }
        self.init(name, dividend / divisor)
    }

    /// Writes a line for each ratio that was measured, its name and its value: what `Tools/benchmark` compares.
    package static func write(_ ratios: [Ratio], to path: String) throws {
        let lines = ratios.compactMap { ratio in ratio.value.map { "\(ratio.name) \($0)\n" } }
        try Data(lines.joined().utf8).write(to: URL(filePath: path))
    }
}
