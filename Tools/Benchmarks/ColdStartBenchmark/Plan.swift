/// The stores, questions and ways of a run.
struct Plan {
    let stores: [Store]

    /// The largest store for localized order. GRDB compares localized texts with calls of Foundation, which
    /// takes some seconds for this many rows.
    private static let largestLocalizedStore = 100_000

    init(sizes: [Int], sectionCounts: [Int]) {
        stores = sectionCounts.flatMap { sections in
            sizes.filter { $0 >= sections }.map { Store(rows: $0, sections: sections) }
        }
    }

    /// Returns the questions for a store. The number of sections matters only to the first one.
    func questions(of store: Store) -> [Question] {
        guard store.sections == stores.first?.sections else { return [.plain] }
        return Question.allCases.filter { $0 != .localized || store.rows <= Self.largestLocalizedStore }
    }

    var variants: [Variant] {
        stores.flatMap { store in
            questions(of: store).flatMap { question in
                Self.ways(to: question).map { Variant(way: $0, question: question, store: store) }
            }
        }
    }

    private static func ways(to question: Question) -> [Way] {
        switch question {
        case .plain:
            [.open, .floor, .twentyRows, .hit, .miss, .uncached, .scan, .groupBy, .sorter, .records]
        case .filtered: [.hit, .miss, .sorter]
        case .localized: [.hit, .miss, .uncached, .records]
        case .related: [.hit, .miss, .scan, .sorter]
        }
    }
}
