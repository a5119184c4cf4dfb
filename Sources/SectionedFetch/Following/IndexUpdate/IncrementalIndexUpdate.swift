import Foundation
import ObjectStorage
import InternalUtilities
import SectionCaching

/// Updates sectioned results from the rows whose positions may have changed, and reads no other rows than a
/// few neighbours of each.
///
/// The rows that may have changed are removed from the index; the remaining rows keep their order. SQLite
/// determines which of the removed rows the request finds now, and in which order. An SQL index of the order
/// supplies their gaps between the remaining rows. Without such an index, a binary search finds the gaps: a
/// row costs as many look-ups as the number of rows has binary digits, and a row that kept its position costs
/// two. <doc:FollowingChanges> has the rules.
struct IncrementalIndexUpdate {
    let request: ResultsRequest
    let snapshot: StoreSnapshot
    let rows: ChangedRows
    /// The index of the old results.
    let old: SectionIndex

    /// The result of an update.
    struct Outcome {
        /// The names of sections that have another first row, or whose first row changed.
        let names: [SectionPosition: String]
        let index: SectionIndex
    }

    /// A row that the request finds, with its destination.
    struct Arrival {
        let row: SnapshotRow
        /// The number of remaining rows before it.
        var gap = 0
        /// Its section.
        var section = SectionPosition.staying(0)
        /// Its position in the old results.
        var oldPosition: Int?
        /// Whether it has kept its order among the rows of its section.
        var isKept = false
    }

    /// A section of the new results.
    enum SectionPosition: Hashable {
        /// A section of the old results in which rows remain, by its old position.
        case staying(Int)
        /// A section in which no old row remains, by its index in ``placed``.
        case placed(Int)
    }

    /// A section in which no old row remains, or that is new.
    struct PositionedSection {
        let identity: [UInt8]
        /// The number of staying sections before it.
        let rank: Int
        /// Its position in the old results.
        let oldPosition: Int?
        var isMoved = false
    }

    let compiled: CompiledRows
    /// The positions of the declared sections, which come first and always exist.
    let declaredPositions: [[UInt8]: Int]
    /// The rows that remain after those that may have changed are removed.
    var remaining = RemainingRows(of: 0, without: [])
    var arrivals: [Arrival] = []
    var placed: [PositionedSection] = []
    /// The old positions of the sections in which no row remains, in ascending order.
    var emptied: [Int] = []
    /// The keys of the removed rows.
    private var removedKeys: [Int64] = []
    /// The sort keys of rows that were read for earlier changes; nil if the results are not followed.
    private let sortKeyCache: SortKeyCache?
    /// The sort keys of remaining rows that were read, by the number of remaining rows before them.
    var readSortKeys: [(number: Int, sortKey: SortKey)] = []

    /// - Parameter sortKeyCache: The sort keys that are kept from one change of the same results to the next;
    ///   nil for results that are not followed.
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

    /// Updates the index.
    ///
    /// - Returns: The result; nil if the update is impossible, because rows of the old index can no longer be
    ///   read, or the order does not keep sections together. Then a complete computation is needed, which
    ///   reports the error.
    /// - Complexity: O(*k* log *n*) for *k* rows that may have changed, of *n*.
    mutating func run(_ editor: SectionIndexEditor) throws -> Outcome? {
        guard try takeOut(editor), try settle(), assignSections() else { return nil }
        keepOrder()
        keepSectionOrder()
        let outcome = try finish(editor)
        if let outcome, request.sectionKey?.isNested == true, !placed.isEmpty,
            SectionOutline(outcome.index).repeatedSection() != nil
        {
            return nil
        }
        if let outcome {
            sortKeyCache?.advance(
                to: outcome.index, removing: remaining.removed, gaps: arrivals.map(\.gap),
                adding: readSortKeys)
        }
        return outcome
    }

    private mutating func takeOut(_ editor: SectionIndexEditor) throws -> Bool {
        let previousRows = rows.keys.filter { !rows.newKeys.contains($0) }
        let oldKeys = previousRows.map(rows.previousKey) + rows.goneKeys
        // In an external table a row may have received the key that represented an unsaved object.
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
                oldPosition: previousRows.index(ofAscending: row.sortKey.key).flatMap { positions[$0] })
        }
        noteRemaining(neighbours, at: positions.dropFirst(oldKeys.count))
        findEmptied()
        return true
    }

    /// Returns the key of the row that was removed at a position of the old results, if one was.
    func removedKey(at position: Int) -> Int64? {
        remaining.removed.index(ofAscending: position).map { removedKeys[$0] }
    }

    /// The end of the rows of the declared sections.
    private var endOfDeclaredSections: Int {
        declaredPositions.isEmpty ? 0 : old.section(at: declaredPositions.count - 1).rows.upperBound
    }

    private mutating func findEmptied() {
        guard request.sectionKey != nil else { return }
        let removed = remaining.removed
        var next = removed.count(below: endOfDeclaredSections)
        // Declared sections stay when they are empty.
        while next < removed.count {
            let position = old.sectionPosition(containing: removed[next])
            let range = old.rows(ofSection: position)
            let first = next
            while next < removed.count, removed[next] < range.upperBound { next += 1 }
            if next - first == range.count { emptied.append(position) }
        }
    }

    /// Finds the gap of each arrival.
    ///
    /// - Returns: False if a row can no longer be read from the old index.
    private mutating func settle() throws -> Bool {
        var search = SortKeySearch(
            in: old, remaining, snapshot.sortKeyReader(compiled), knowing: readSortKeys)
        for number in arrivals.indices {
            let (sortKey, oldPosition) = (arrivals[number].row.sortKey, arrivals[number].oldPosition)
            let known = sortKeyCache?.neighbours(of: sortKey) ?? (nil, nil)
            guard let gap = try search.gap(of: sortKey, oldPosition: oldPosition, between: known) else {
                return false
            }
            arrivals[number].gap = gap
        }
        readSortKeys += search.readSortKeys
        return true
    }
}
