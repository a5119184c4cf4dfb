import BenchmarkSupport

/// A store of songs.
struct Store: Hashable {
    let rows: Int
    let sections: Int
}

/// A question to a store.
enum Question: String, CaseIterable {
    /// Sections by an attribute. An index has the order.
    case plain
    /// Sections by an attribute, for songs since 2000.
    case filtered
    /// Sections by first letter, in the order of a locale.
    case localized
    /// Sections by the name of the artist, which is in another table.
    case related

    var title: String {
        switch self {
        case .plain: "sections by an attribute"
        case .filtered: "the same, filtered"
        case .localized: "first letters, localized order"
        case .related: "sections by an attribute of a related object"
        }
    }
}

/// A way to answer a question.
enum Way: String, CaseIterable {
    case open, floor, twentyRows, hit, miss, uncached, scan, groupBy, sorter, records

    /// Returns the title of the way in reports.
    func title(for question: Question) -> String {
        switch self {
        case .open: "C: open the store"
        case .floor: "C: both stores, token, 20 rows"
        case .twentyRows: "GRDB: 20 rows by key"
        case .hit: "hit"
        case .miss: "miss: compute, answer, save"
        case .uncached: "without a cache"
        case .scan: "C: the scan of a miss"
        case .groupBy: "SQL: GROUP BY, first page"
        case .sorter: question == .related ? "SQL: join, sorter" : "SQL: sorter"
        case .records:
            question == .localized ? "GRDB: records, localized order" : "GRDB: records, grouped in Swift"
        }
    }

    /// Returns whether the result can be compared with that of other ways.
    func isComparable(for question: Question) -> Bool {
        switch self {
        case .open, .twentyRows: false
        // GRDB's collation and the library's differ in ties and in the definition of a first letter.
        case .records: question != .localized
        default: true
        }
    }
}

/// A way to answer a question on one store.
struct Variant: Hashable {
    let way: Way
    let question: Question
    let store: Store

    var title: String { way.title(for: question) }
}
