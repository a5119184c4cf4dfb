import CatalogueGenerator

/// What happens to rows.
enum ChangeKind: String, CaseIterable, Codable {
    /// Another attribute than those that the order reads: the rows keep their places.
    case update
    /// Another title and section: the rows move to random sections of 26.
    case move
    case insertion
    case deletion
    /// An update by one statement that names no row.
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

/// One change of some rows, the same in whichever way it is made.
struct SongChange {
    let kind: ChangeKind
    /// The rows of an update or a move; an insertion and a deletion have as many.
    let keys: [Int64]
    /// The new title of each row, whose first letter is the section.
    let titles: [String]
    /// The new value of the attribute that no order reads.
    let plays: Int32
    /// The rows of a batch update.
    let shelf: Int32

    /// Where inserted rows are, so that a batch update finds as many rows as ever.
    static let noShelf: Int32 = -1

    /// The section of a title.
    static func section(of title: String) -> String { String(title.prefix(1)) }
}

/// Makes changes of scattered rows. The same seed makes the same changes.
struct ChangeMaker {
    private var generator: SplitMix64
    private let rows: Int
    private let count: Int

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")

    /// - Parameters:
    ///   - seed: Another one for each process that changes the same store, so that no value is there already.
    ///   - rows: The rows of the store as it was made.
    ///   - count: How many rows each change is of, at most half of them.
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

    /// How many shelves a store has so that `count` rows are on each.
    static func numberOfShelves(rows: Int, count: Int) -> Int { max(1, rows / count) }

    private mutating func title() -> String {
        var title = ""
        for place in 0..<12 {
            let letter = Self.letters[generator.next(below: Self.letters.count)]
            title += place == 0 ? letter.uppercased() : String(letter)
        }
        return title
    }
}
