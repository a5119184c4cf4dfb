/// What is measured.
struct Plan {
    let stores: [Store]

    /// GRDB compares localized texts in calls of Foundation, some seconds for this many rows.
    private static let largestLocalizedStore = 100_000

    init(sizes: [Int], sectionCounts: [Int]) {
        stores = sectionCounts.flatMap { sections in
            sizes.filter { $0 >= sections }.map { Store(rows: $0, sections: sections) }
        }
    }

    /// The questions that are asked of a store. The number of sections matters to the first alone.
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
