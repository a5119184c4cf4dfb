import Foundation

/// What one process answered and took.
package struct Sample {
    /// Milliseconds inside the process, from before the store is opened until everything is there.
    package let inside: Double
    /// The same until the first rows are readable; less than ``inside`` for a miss, which goes on to save.
    package let answered: Double
    /// Milliseconds from starting the process to its end.
    package let whole: Double
    /// Milliseconds that the whole process had a processor.
    package let processor: Double
    /// The most memory that the process had, in KiB.
    package let peakKiB: Double
    package let sections: Int
    package let rows: Int
    /// A digest of the sections' names and counts and of the first titles.
    package let digest: String
    /// Milliseconds of the steps that the process tells apart.
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

    /// Reads the line that a sample printed.
    package init(_ process: ChildProcess) throws {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(process.output)) else {
            throw BenchmarkError("no sample: \(String(decoding: process.output, as: UTF8.self))")
        }
        inside = line.nanoseconds / 1e6
        answered = line.answered / 1e6
        whole = process.milliseconds
        processor = process.processorMilliseconds
        // Linux hands the peak of the process that starts another down to it (`exec_mmap`), so a sample reads
        // its own from `/proc`. Where that is not to be had there is no such confusion.
        peakKiB = Double(line.peakKiB > 0 ? line.peakKiB : process.peakKiB)
        sections = line.sections
        rows = line.rows
        digest = line.digest
        steps = line.steps.mapValues { $0 / 1e6 }
    }
}
