package import Foundation

/// The results of one run of a benchmark, which each benchmark writes in the same form with `--json`.
package struct BenchmarkDocument: Codable {
    /// The name of the benchmark.
    package let program: String
    /// The arguments of the run.
    package let arguments: [String]
    /// The load of the machine before and after the run.
    package let load: MachineLoad?
    /// The measured quantities.
    package let quantities: [MeasuredQuantity]
    /// Quotients of quantities of this run.
    package let ratios: [Ratio]
    /// The goals of the benchmark.
    package let figures: [Figure]

    /// Creates a document of a run of this process.
    package init(
        program: String, load: MachineLoad?, quantities: [MeasuredQuantity], ratios: [Ratio],
        figures: [Figure] = []
    ) {
        self.program = program
        arguments = Array(CommandLine.arguments.dropFirst())
        self.load = load
        self.quantities = quantities
        self.ratios = ratios
        self.figures = figures
    }

    /// Reads a document.
    ///
    /// - Throws: An error of Foundation if the file cannot be read, is not JSON or has another form.
    package init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }

    /// Writes the document as JSON.
    package func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}
