import CatalogueGenerator

/// A kind of change to rows.
enum ChangeKind: String, CaseIterable, Codable {
    /// Sets an attribute that no order reads: the rows keep their positions.
    case update
    /// Sets another title and section: the rows move to random sections of 26.
    case move
    case insertion
    case deletion
    /// An update by one statement that does not name its rows.
    case batchUpdate

    var title: String {
        switch self {
        case .update: "another attribute changed"
        case .move: "moved to another section"
        case .insertion: "inserted"
        case .deletion: "deleted"
        case .batchUpdate: "batchUpdate, another attribute"
        }
    }
}

/// A change of rows. All writers make the same change.
struct SongChange {
    let kind: ChangeKind
    /// The rows of an update or a move. An insertion or a deletion has the same number of rows.
    let keys: [Int64]
    /// The new title of each row, whose first letter is the section.
    let titles: [String]
    /// The new value of the attribute that no order reads.
    let plays: Int32
    /// The shelf whose rows a batch update changes.
    let shelf: Int32

    /// The shelf of inserted rows, so that the number of rows on the other shelves does not change.
    static let noShelf: Int32 = -1

    /// Returns the section of a title.
    static func section(of title: String) -> String { String(title.prefix(1)) }
}

/// Generates changes of scattered rows. The same seed gives the same changes.
struct ChangeMaker {
    private var generator: SplitMix64
    private let rows: Int
    private let count: Int

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")

    /// - Parameters:
    ///   - seed: A different number for each process that changes the same store, so that no value occurs
    ///     twice.
    ///   - rows: The number of rows in the new store.
    ///   - count: The number of rows in each change, at most half of them.
    init(seed: UInt64, rows: Int, count: Int) {
        generator = SplitMix64(seed: SplitMix64.mixed(seed))
        self.rows = rows
        self.count = count
    }

    mutating func next(_ kind: ChangeKind) -> SongChange {
        var keys: Set<Int64> = []
        while keys.count < count { keys.insert(Int64(1 + generator.next(below: rows))) }
        return SongChange(
            kind: kind, keys: keys.sorted(), titles: (0..<count).map { _ in title() },
            plays: Int32(1 + generator.next(below: Int(Int32.max))),
            shelf: Int32(generator.next(below: Self.numberOfShelves(rows: rows, count: count))))
    }

    /// Returns the number of shelves of a store with `count` rows on each.
    static func numberOfShelves(rows: Int, count: Int) -> Int { max(1, rows / count) }

    private mutating func title() -> String {
        var title = ""
        for position in 0..<12 {
            let letter = Self.letters[generator.next(below: Self.letters.count)]
            title += position == 0 ? letter.uppercased() : String(letter)
        }
        return title
    }
}
