import Foundation
import ObjectStorage
import SectionCaching

/// Brings sectioned results up to date by the rows that may have another place, and looks at no other rows than a few
/// neighbours of each.
///
/// The rows that may have changed are taken out; what remains has the order it had. SQLite tells which of them the request finds
/// now and in which order. Where each belongs among those that remain is found by halving, so that a row costs as many
/// look-ups as the number of rows has binary digits, and a row that kept its place two. <doc:Changes> has the rules.
struct IndexAdvance {
    let request: ResultsRequest
    let snapshot: StoreSnapshot
    let rows: ChangedRows
    /// The index of the old results.
    let old: SectionIndex

    /// What became of the index.
    struct Outcome {
        let edit: SectionIndexEdit
        let sectionEvents: [ResultsChange.SectionEvent]
        let rows: [ChangeComputation.Row]
        let index: SectionIndex
    }

    /// One row that the request finds, and where it belongs.
    struct Arrival {
        let row: SnapshotRow
        /// How many of the rows that remain are before it.
        var gap = 0
        /// Its section.
        var section = SectionPlace.staying(0)
        /// Its position in the old results.
        var oldPosition: Int?
        /// Whether it has its place among the rows of its section as before.
        var isKept = false
    }

    /// A section of the new results.
    enum SectionPlace: Hashable {
        /// A section of the old results in which rows remain, by its old position.
        case staying(Int)
        /// The nth of those in which none remains.
        case placed(Int)
    }

    /// A section in which no row remains, or that was not there.
    struct PlacedSection {
        let identity: [UInt8]
        /// How many of the staying sections are before it.
        let rank: Int
        /// Its position in the old results.
        let oldPosition: Int?
        var isMoved = false
    }

    let compiled: CompiledRows
    /// The positions of the declared sections, which are the first and are always there.
    let declaredPositions: [[UInt8]: Int]
    /// The positions of the rows that are taken out, in ascending order.
    var removed: [Int] = []
    var arrivals: [Arrival] = []
    var placed: [PlacedSection] = []
    /// The old positions of the sections in which no row remains, in ascending order.
    var emptied: [Int] = []
    /// The keys of the rows that are taken out, by their positions.
    var removedKeys: [Int: Int64] = [:]
    private let placeReader: PlaceReader
    /// The places of rows that remain, by how many remaining rows are before them.
    private var places: [Int: RowPlace] = [:]

    init(
        _ request: ResultsRequest, from old: SectionIndex, by rows: ChangedRows, in snapshot: StoreSnapshot
    ) throws {
        self.request = request
        self.snapshot = snapshot
        self.rows = rows
        self.old = old
        declaredPositions = Dictionary(
            request.declaredIdentities.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        compiled = try request.rowsByKey(in: snapshot)
        placeReader = try snapshot.placeReader(compiled)
    }

    /// Finds the new places.
    ///
    /// - Returns: Nil if it cannot be told: rows of the old index cannot be read any more, or the order does not keep sections
    ///   together. Then all has to be computed, which says what is wrong.
    /// - Complexity: O(*k* log *n*) for *k* rows that may have changed, of *n*.
    mutating func run(_ editor: SectionIndexEditor) throws -> Outcome? {
        guard try takeOut(editor), try settle(), place() else { return nil }
        keepOrder()
        keepSectionOrder()
        return try finish(editor)
    }

    private mutating func takeOut(_ editor: SectionIndexEditor) throws -> Bool {
        let oldKeys = rows.keys.map(rows.formerKey) + rows.goneKeys
        // In an owner's table a row may have got the key that stood for an unsaved object.
        guard Set(oldKeys).count == oldKeys.count, let positions = editor.positions(of: oldKeys) else {
            return false
        }
        var oldPositions: [Int64: Int] = [:]
        for (place, position) in positions.enumerated() {
            guard let position else { continue }
            removed.append(position)
            removedKeys[position] = oldKeys[place]
            if place < rows.keys.count { oldPositions[rows.keys[place]] = position }
        }
        removed.sort()
        arrivals = try snapshot.rows(withKeys: rows.keys, compiled).map {
            Arrival(row: $0, oldPosition: oldPositions[$0.place.key])
        }
        findEmptied()
        return true
    }

    /// Where the rows of the declared sections end.
    private var endOfDeclaredSections: Int {
        declaredPositions.isEmpty ? 0 : old.section(at: declaredPositions.count - 1).rows.upperBound
    }

    private mutating func findEmptied() {
        guard request.sectionKey != nil else { return }
        var next = Self.count(of: removed, below: endOfDeclaredSections)
        // Declared sections stay without rows.
        while next < removed.count {
            let position = old.sectionPosition(containing: removed[next])
            let range = old.section(at: position).rows
            let first = next
            while next < removed.count, removed[next] < range.upperBound { next += 1 }
            if next - first == range.count { emptied.append(position) }
        }
    }

    // MARK: Places of rows

    var numberRemaining: Int { old.numberOfRows - removed.count }

    /// The old position of a row that remains.
    func oldPosition(ofRemaining number: Int) -> Int {
        var low = 0
        var high = removed.count
        while low < high {
            let middle = (low + high) / 2
            if removed[middle] - middle > number { high = middle } else { low = middle + 1 }
        }
        return number + low
    }

    /// How many remaining rows are before an old position.
    func numberRemaining(before position: Int) -> Int { position - Self.count(of: removed, below: position) }

    /// How many numbers of an ascending list are below a bound.
    static func count(of numbers: [Int], below bound: Int) -> Int {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Finds each arrival's gap.
    private mutating func settle() throws -> Bool {
        var least = 0
        for number in arrivals.indices {
            let place = arrivals[number].row.place
            guard let gap = try gap(of: place, from: least, formerly: arrivals[number].oldPosition) else {
                return false
            }
            arrivals[number].gap = gap
            least = gap
        }
        return true
    }

    private mutating func gap(of place: RowPlace, from least: Int, formerly oldPosition: Int?) throws -> Int?
    {
        var low = least
        var high = numberRemaining
        // A row that changed mostly has the place it had.
        if let oldPosition {
            let former = numberRemaining(before: oldPosition)
            if former >= low {
                if former > low {
                    guard let before = try self.place(ofRemaining: former - 1) else { return nil }
                    if compiled.order.precedes(before, place) { low = former } else { high = former - 1 }
                }
                if former < high, low == former {
                    guard let after = try self.place(ofRemaining: former) else { return nil }
                    if compiled.order.precedes(place, after) { high = former } else { low = former + 1 }
                }
            }
        }
        return try search(for: place, from: low, to: high)
    }

    /// How many halvings come first. Their rows are the same for all arrivals, so that many share few look-ups.
    private static let sharedHalvings = 7

    /// Searches by halving, and in the end by guessing from the values and halving in turn, which mostly needs a few look-ups.
    private mutating func search(for place: RowPlace, from start: Int, to end: Int) throws -> Int? {
        var low = 0
        var high = numberRemaining
        var step = 0
        // Rows whose places enclose the arrival's.
        var before: RowPlace?
        var after: RowPlace?
        while low < high {
            var middle = (low + high) / 2
            if step > Self.sharedHalvings, step % 3 != 0, let before, let after,
                let share = compiled.order.share(of: place, from: before, to: after)
            {
                middle = min(max(low + Int(share * Double(high - low)), low), high - 1)
            }
            step += 1
            // What is known already need not be looked up.
            if middle < start {
                low = middle + 1
                before = nil
                continue
            }
            if middle >= end {
                high = middle
                after = nil
                continue
            }
            guard let other = try self.place(ofRemaining: middle) else { return nil }
            if compiled.order.precedes(other, place) {
                low = middle + 1
                before = other
            } else {
                high = middle
                after = other
            }
        }
        return low
    }

    private mutating func place(ofRemaining number: Int) throws -> RowPlace? {
        if let place = places[number] { return place }
        let position = oldPosition(ofRemaining: number)
        guard let key = old.rowIDs(in: position..<position + 1)?.first,
            let place = try placeReader.place(ofKey: key)
        else { return nil }
        places[number] = place
        return place
    }
}
