import Foundation
import ObjectStorage
import InternalUtilities
import SectionCaching

/// Brings sectioned results up to date by the rows that may have another place, and looks at no other rows
/// than a few neighbours of each.
///
/// The rows that may have changed are taken out; what remains has the order it had. SQLite tells which of
/// them the request finds now and in which order. Where each belongs among those that remain an index of the
/// order tells; without one it is found by halving, so that a row costs as many look-ups as the number of
/// rows has binary digits, and a row that kept its place two. <doc:Changes> has the rules.
struct IncrementalIndexUpdate {
    let request: ResultsRequest
    let snapshot: StoreSnapshot
    let rows: ChangedRows
    /// The index of the old results.
    let old: SectionIndex

    /// What became of the index.
    struct Outcome {
        /// What the sections are called that have another first row, or one that changed.
        let names: [SectionPlace: String]
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
    struct PositionedSection {
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
    /// The rows that remain when those that may have changed are taken out.
    var remaining = RemainingRows(of: 0, without: [])
    var arrivals: [Arrival] = []
    var placed: [PositionedSection] = []
    /// The old positions of the sections in which no row remains, in ascending order.
    var emptied: [Int] = []
    /// The keys of the rows that are taken out.
    private var removedKeys: [Int64] = []
    /// The places of rows that were looked up for earlier changes, if there were or will be such.
    private let sortKeyCache: SortKeyCache?
    /// The places of remaining rows that were read, by how many of them are before.
    var readPlaces: [(number: Int, place: SortKey)] = []

    /// - Parameter sortKeyCache: What earlier changes of the same list found out, and later ones will; nil for
    ///   a list that nobody follows.
    init(
        _ request: ResultsRequest, from old: SectionIndex, by rows: ChangedRows, in snapshot: StoreSnapshot,
        sortKeyCache: SortKeyCache?
    ) throws {
        self.request = request
        self.snapshot = snapshot
        self.rows = rows
        self.old = old
        self.sortKeyCache = sortKeyCache
        let declared = request.declaredIdentities
        declaredPositions =
            declared.isEmpty
            ? [:]
            : Dictionary(
                declared.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        compiled = try request.rowsByKey(in: snapshot)
    }

    /// Finds the new places.
    ///
    /// - Returns: Nil if it cannot be told: rows of the old index cannot be read any more, or the order does
    ///   not keep sections together. Then all has to be computed, which says what is wrong.
    /// - Complexity: O(*k* log *n*) for *k* rows that may have changed, of *n*.
    mutating func run(_ editor: SectionIndexEditor) throws -> Outcome? {
        guard try takeOut(editor), try settle(), place() else { return nil }
        keepOrder()
        keepSectionOrder()
        let outcome = try finish(editor)
        if let outcome {
            sortKeyCache?.advance(
                to: outcome.index, removing: remaining.removed, gaps: arrivals.map(\.gap), adding: readPlaces)
        }
        return outcome
    }

    private mutating func takeOut(_ editor: SectionIndexEditor) throws -> Bool {
        let formerRows = rows.keys.filter { !rows.newKeys.contains($0) }
        let oldKeys = formerRows.map(rows.formerKey) + rows.goneKeys
        // In an owner's table a row may have got the key that stood for an unsaved object.
        guard !oldKeys.sorted().hasRepeats else { return false }
        let found = try snapshot.rows(withKeys: rows.keys, compiled)
        let neighbours = try neighbours(of: found)
        guard let positions = editor.positions(of: oldKeys + neighbours.map(\.key)) else { return false }
        var takenOut: [(position: Int, key: Int64)] = []
        for (position, key) in zip(positions, oldKeys) {
            if let position { takenOut.append((position, key)) }
        }
        takenOut.sort { $0.position < $1.position }
        remaining = RemainingRows(of: old.numberOfRows, without: takenOut.map(\.position))
        removedKeys = takenOut.map(\.key)
        sortKeyCache?.begin(with: old, without: remaining.removed)
        arrivals = found.map { row in
            Arrival(
                row: row,
                oldPosition: formerRows.index(ofAscending: row.place.key).flatMap { positions[$0] })
        }
        noteRemaining(neighbours, at: positions.dropFirst(oldKeys.count))
        findEmptied()
        return true
    }

    /// The key of the row that is taken out at a position of the old results, if one is.
    func removedKey(at position: Int) -> Int64? {
        remaining.removed.index(ofAscending: position).map { removedKeys[$0] }
    }

    /// Where the rows of the declared sections end.
    private var endOfDeclaredSections: Int {
        declaredPositions.isEmpty ? 0 : old.section(at: declaredPositions.count - 1).rows.upperBound
    }

    private mutating func findEmptied() {
        guard request.sectionKey != nil else { return }
        let removed = remaining.removed
        var next = removed.count(below: endOfDeclaredSections)
        // Declared sections stay without rows.
        while next < removed.count {
            let position = old.sectionPosition(containing: removed[next])
            let range = old.rows(ofSection: position)
            let first = next
            while next < removed.count, removed[next] < range.upperBound { next += 1 }
            if next - first == range.count { emptied.append(position) }
        }
    }

    /// Finds each arrival's gap.
    ///
    /// - Returns: False if a row cannot be read from the old index any more.
    private mutating func settle() throws -> Bool {
        var search = SortKeySearch(in: old, remaining, snapshot.sortKeyReader(compiled), knowing: readPlaces)
        for number in arrivals.indices {
            let (place, oldPosition) = (arrivals[number].row.place, arrivals[number].oldPosition)
            let known = sortKeyCache?.neighbours(of: place) ?? (nil, nil)
            guard let gap = try search.gap(of: place, oldPosition: oldPosition, between: known) else {
                return false
            }
            arrivals[number].gap = gap
        }
        readPlaces += search.readPlaces
        return true
    }
}
