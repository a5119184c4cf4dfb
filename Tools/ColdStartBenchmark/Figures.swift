import Foundation

/// One promise in numbers: what was measured, and its bound.
struct Figure {
    let text: String
    let value: Double
    let bound: Double
    /// Whether the value must be at least the bound; otherwise at most.
    let isAtLeast: Bool
    let unit: String

    var isReached: Bool { isAtLeast ? value >= bound : value <= bound }
}

/// The promises, worked out from the results. One that lacks a measurement is left out, and said so by the report.
enum Figures {
    static func all(_ results: Results, sizes: [Int]) -> [Figure] {
        guard let largest = sizes.last, let smallest = sizes.first else { return [] }
        var figures: [Figure] = []
        func add(_ text: String, _ value: Double?, _ bound: Double, atLeast: Bool = false, unit: String = "×")
        {
            guard let value, value.isFinite else { return }
            figures.append(Figure(text: text, value: value, bound: bound, isAtLeast: atLeast, unit: unit))
        }
        func inside(_ name: String, _ rows: Int) -> Double? { results.find(name, rows)?.inside.median }
        func whole(_ name: String, _ rows: Int) -> Double? { results.find(name, rows)?.whole.median }
        let hit = inside("hit", largest)
        add("hit at \(largest) rows, in the process", hit, 1, unit: "ms")
        add("… against the C floor", ratio(hit, inside("C: both stores, 20 rows", largest)), 3)
        add(
            "… whole process, against GRDB reading 20 rows",
            ratio(whole("hit", largest), whole("GRDB: 20 rows by key", largest)), 1.3)
        add(
            "GROUP BY with first page, against the hit",
            ratio(inside("SQL: GROUP BY, first page", largest), hit), 30, atLeast: true)
        add(
            "records with GRDB grouped in Swift, against the hit",
            ratio(inside("GRDB: records, group in Swift", largest), hit), 300, atLeast: true)
        add(
            "localized order without a cache, against its hit (100,000 rows)",
            ratio(inside("no cache, localized", 100_000), inside("hit, localized", 100_000)), 1_000,
            atLeast: true)
        add("hit at \(largest) rows against \(smallest) rows", ratio(hit, inside("hit", smallest)), 1.2)
        add(
            "peak memory of a hit at \(largest) rows against \(smallest)",
            ratio(results.find("hit", largest)?.peakKiB, results.find("hit", smallest)?.peakKiB), 1.1)
        add(
            "miss at \(largest) rows against the C scan",
            ratio(inside("miss", largest), inside("C: ordered scan", largest)), 2)
        if let rates = results.rates {
            add(
                "import of CSV, against the C loop", rates.tool.median / rates.loop.median, 0.5, atLeast: true
            )
        }
        return figures
    }

    private static func ratio(_ first: Double?, _ second: Double?) -> Double? {
        guard let first, let second else { return nil }
        return first / second
    }
}
