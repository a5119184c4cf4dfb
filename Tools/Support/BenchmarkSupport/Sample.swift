import Foundation

/// The answer and the measurements of one process.
package struct Sample {
    /// The time inside the process from before the store is opened until all work is done, in milliseconds.
    package let inside: Double
    /// The time inside the process until the first rows are readable, in milliseconds. Less than ``inside``
    /// for a miss, after which the process saves the sections.
    package let answered: Double
    /// The time from the start of the process to its end, in milliseconds.
    package let whole: Double
    /// The processor time of the whole process, in milliseconds.
    package let processor: Double
    /// The peak memory of the process, in KiB.
    package let peakKiB: Double
    /// The number of sections.
    package let sections: Int
    /// The number of rows.
    package let rows: Int
    /// A digest of the sections' names and counts and of the first titles.
    package let digest: String
    /// The time of each step that the process measures, in milliseconds.
    package let steps: [String: Double]

    private struct Line: Decodable {
        let nanoseconds: Double
        let answered: Double
        let sections: Int
        let rows: Int
        let digest: String
        let peakKiB: Int
        let steps: [String: Double]
    }

    /// Creates a sample from the line that the process printed.
    ///
    /// - Throws: ``BenchmarkError`` if the output is not such a line.
    package init(_ process: ChildProcess) throws {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(process.output)) else {
            throw BenchmarkError("no sample: \(String(decoding: process.output, as: UTF8.self))")
        }
        inside = line.nanoseconds / 1e6
        answered = line.answered / 1e6
        whole = process.milliseconds
        processor = process.processorMilliseconds
        // On Linux a process inherits the peak of the process that starts it (`exec_mmap`), so a sample reads
        // its own peak from `/proc`. Other systems do not have this problem.
        peakKiB = Double(line.peakKiB > 0 ? line.peakKiB : process.peakKiB)
        sections = line.sections
        rows = line.rows
        digest = line.digest
        steps = line.steps.mapValues { $0 / 1e6 }
    }
}
