import BenchmarkSupport
import Foundation

/// The results of the benchmarks in a directory.
struct ResultSet {
    /// A benchmark, by the name of its file.
    enum Source: String, CaseIterable {
        case coldStart = "cold-start"
        case changes, windows
        case mainActor = "main-actor"
        case objects

        var file: String { "\(rawValue).json" }
    }

    /// The documents that could be read.
    private(set) var documents: [Source: BenchmarkDocument] = [:]
    /// The reasons why other documents could not be read.
    private(set) var problems: [Source: String] = [:]

    /// Reads the documents of a directory.
    init(directory: URL) {
        for source in Source.allCases {
            let url = directory.appending(path: source.file)
            guard FileManager.default.fileExists(atPath: url.path) else {
                problems[source] = "\(source.file) does not exist: the program was not run, or failed"
                continue
            }
            do {
                documents[source] = try BenchmarkDocument(contentsOf: url)
            } catch {
                problems[source] = "\(source.file) is not a document of results: \(error)"
            }
        }
    }

    /// Returns the quantity of a name under these and possibly other conditions.
    func find(_ source: Source, _ name: String, _ conditions: [String: Int] = [:]) -> MeasuredQuantity? {
        documents[source]?.quantities.first { $0.name == name && conditions.isPart(of: $0.conditions) }
    }

    /// Returns the ratio of a name under these and possibly other conditions.
    func ratio(_ source: Source, _ name: String, _ conditions: [String: Int] = [:]) -> Double? {
        documents[source]?.ratios.first { $0.name == name && conditions.isPart(of: $0.conditions) }?.value
    }

    /// Returns the title that the benchmark gives a quantity, or the name of a quantity without results.
    func title(_ source: Source, _ name: String) -> String { find(source, name)?.title ?? name }

    /// Returns the values of a condition in the quantities whose names have a prefix, in ascending order.
    func values(of condition: String, _ source: Source, prefix: String) -> [Int] {
        let quantities = documents[source]?.quantities.filter { $0.name.hasPrefix(prefix) } ?? []
        return Set(quantities.compactMap { $0.conditions[condition] }).sorted()
    }
}

extension [String: Int] {
    /// Returns whether other conditions have the same numbers.
    fileprivate func isPart(of other: [String: Int]) -> Bool {
        allSatisfy { other[$0.key] == $0.value }
    }
}
