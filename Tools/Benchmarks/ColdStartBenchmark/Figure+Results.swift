import BenchmarkSupport

extension Figure {
    /// Returns all figures, computed from the results.
    static func all(of results: Results) -> [Figure] {
        let store = results.mainStore
        let smallest = results.stores.filter { $0.sections == store?.sections }.min { $0.rows < $1.rows }
        let localized = Store(rows: 100_000, sections: store?.sections ?? 0)
        func inside(_ way: Way, _ question: Question = .plain, over store: Store?) -> Double? {
            results.find(way, question, over: store)?.inside.median
        }
        let hit = inside(.hit, over: store)
        let isComparison = smallest != store
        let smallestRows = (smallest?.rows ?? 0).grouped
        return [
            Figure(title: "hit, in the process", bound: .atMost(1), unit: " ms", value: hit),
            Figure(
                title: "hit, in the process, to the C floor", bound: .atMost(3), unit: "×",
                value: hit / inside(.floor, over: store)),
            Figure(
                title: "hit, whole process, to GRDB reading 20 rows", bound: .atMost(1.3), unit: "×",
                value: results.find(.hit, over: store)?.whole.median
                    / results.find(.twentyRows, over: store)?.whole.median),
            Figure(
                title: "GROUP BY and first page, to the hit", bound: .atLeast(30), unit: "×",
                value: inside(.groupBy, over: store) / hit),
            Figure(
                title: "records grouped in Swift, to the hit", bound: .atLeast(300), unit: "×",
                value: inside(.records, over: store) / hit),
            Figure(
                title: "records in localized order, to its hit (100,000 songs)", bound: .atLeast(1_000),
                unit: "×",
                value: inside(.records, .localized, over: localized)
                    / inside(.hit, .localized, over: localized)),
            Figure(
                title: "hit, in the process, to that at \(smallestRows) songs", bound: .atMost(1.2),
                unit: "×", value: isComparison ? hit / inside(.hit, over: smallest) : nil),
            Figure(
                title: "peak memory of a hit, to that at \(smallestRows) songs", bound: .atMost(1.1),
                unit: "×",
                value: isComparison
                    ? results.find(.hit, over: store)?.peakKiB.median
                        / results.find(.hit, over: smallest)?.peakKiB.median
                    : nil),
            Figure(
                title: "miss, to the C scan by the same plan", bound: .atMost(2), unit: "×",
                value: inside(.miss, over: store) / inside(.scan, over: store)),
            Figure(
                title: "rows per second of an import, to the C loop", bound: .atLeast(0.5), unit: "×",
                value: results.imports.map { $0.tool.median / $0.loop.median }),
        ]
    }
}

/// Returns the quotient of two measurements; nil if one was not taken.
private func / (first: Double?, second: Double?) -> Double? {
    guard let first, let second, second > 0 else { return nil }
    return first / second
}
