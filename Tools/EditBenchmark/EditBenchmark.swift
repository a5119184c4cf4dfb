import BenchmarkSupport
import Foundation
import SectionCaching

/// The tool that measures finding rows in an index, editing it and advancing its cache entry.
///
/// ```
/// Tools/build edit-benchmark
/// .build/release/edit-benchmark
/// ```
///
/// An argument is the number of rows, 1,000,000 without one, or the word “validator”, which measures the
/// check of a data file's structure instead. Times are medians with the least and nearly the greatest.
@main
enum EditBenchmark {
    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "validator" {
            let folder = try WorkFolder(path: nil, isKept: false, name: "edit-benchmark")
            defer { folder.removeIfTemporary() }
            return try StructureSample.measure(in: folder)
        }
        let rows = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
        guard rows >= 10_000 else { throw BenchmarkError("There must be at least 10,000 rows.") }
        let folder = try WorkFolder(path: nil, isKept: false, name: "edit-benchmark")
        defer { folder.removeIfTemporary() }
        print("\(rows.grouped) rows")
        let sample = EditSample(rows: rows, sections: 27)
        sample.measureFinding("in memory", sample.index)
        sample.measureEdits("in memory")
        try sample.measureCache(folder.url)
        EditSample(rows: rows, sections: 100_000).measureEdits("of 100,000 sections")
    }
}
