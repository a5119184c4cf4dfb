import Foundation
import ObjectStorage
import SectionCaching

/// Computes the difference between two states of sectioned results.
///
/// Sections are identified by the bytes of their keys, rows by their keys. The result depends on the
/// arguments only, not on the order of statements in a transaction.
struct ChangeComputation {
    private let old: SectionedRows
    private let new: SectionedRows
    private let changedKeys: Set<Int64>
    /// For each new section, the position of the same section in the old state.
    private let oldSections: [Int?]
    /// For each old section, whether it still exists.
    private let hasSurvived: [Bool]
    /// For each old row, the position of its section.
    private let oldSectionPositions: [Int]
    /// For each new row, its position in the old state, or -1.
    private let oldPositions: [Int]

    /// The event of a row, without its object ID.
    struct Row: Sendable {
        let key: Int64
        let kind: ResultsChange.Kind
        let oldPath: IndexPath?
        let newPath: IndexPath?
    }

    /// The events in the order of ``ResultsChange``.
    private(set) var sectionEvents: [ResultsChange.SectionEvent] = []
    private(set) var rows: [Row] = []

    /// Compares two states.
    ///
    /// - Parameter changedKeys: The keys of rows whose content changed, possibly with others.
    /// - Complexity: O(*n* log *n*) in the number of rows; O(*n*) if the order of no row changed.
    init(from old: SectionedRows, to new: SectionedRows, changedKeys: Set<Int64>) {
        self.old = old
        self.new = new
        self.changedKeys = changedKeys
        var positions: [[UInt8]: Int] = [:]
        for (position, section) in old.sections.enumerated() { positions[section.identity] = position }
        oldSections = new.sections.map { positions[$0.identity] }
        var hasSurvived = Array(repeating: false, count: old.sections.count)
        for position in oldSections { if let position { hasSurvived[position] = true } }
        self.hasSurvived = hasSurvived
        oldSectionPositions = old.sectionPositions
        oldPositions = Self.oldPositions(of: new.keys, in: old.keys)
        compare()
    }

    /// Returns the positions of keys in another list, or -1. Elements that both lists share at the beginning
    /// and at the end are not looked up.
    private static func oldPositions(of keys: [Int64], in oldKeys: [Int64]) -> [Int] {
        var positions = Array(repeating: -1, count: keys.count)
        let shorter = min(keys.count, oldKeys.count)
        var prefix = 0
        while prefix < shorter, keys[prefix] == oldKeys[prefix] {
            positions[prefix] = prefix
            prefix += 1
        }
        var suffix = 0
        while suffix < shorter - prefix,
            keys[keys.count - 1 - suffix] == oldKeys[oldKeys.count - 1 - suffix]
        {
            positions[keys.count - 1 - suffix] = oldKeys.count - 1 - suffix
            suffix += 1
        }
        guard prefix + suffix < keys.count else { return positions }
        var known: [Int64: Int] = [:]
        for position in prefix..<oldKeys.count - suffix { known[oldKeys[position]] = position }
        for position in prefix..<keys.count - suffix { positions[position] = known[keys[position]] ?? -1 }
        return positions
    }

    private mutating func compare() {
        var moves: [Row] = []
        var updates: [Row] = []
        var insertions: [Row] = []
        var isAnchored: [Bool] = []
        for position in new.sections.indices {
            let (moved, updated, inserted, hasFixedRows) = compareRows(ofSection: position)
            moves += moved
            updates += updated
            insertions += inserted
            isAnchored.append(hasFixedRows)
        }
        rows = deletions + insertions + moves + updates
        sectionEvents = compareSections(isAnchored: isAnchored)
    }

    private var deletions: [Row] {
        var isThere = Array(repeating: false, count: old.keys.count)
        for position in oldPositions where position >= 0 { isThere[position] = true }
        return old.keys.indices.reversed().filter { !isThere[$0] }.map {
            Row(key: old.keys[$0], kind: .deletion, oldPath: oldPath($0), newPath: nil)
        }
    }

    private func oldPath(_ position: Int) -> IndexPath {
        let section = oldSectionPositions[position]
        return [section, position - old.sections[section].rows.lowerBound]
    }

    private func compareRows(
        ofSection section: Int
    ) -> (moves: [Row], updates: [Row], insertions: [Row], hasFixedRows: Bool) {
        let range = new.sections[section].rows
        let oldSection = oldSections[section]
        let remaining = range.filter {
            oldPositions[$0] >= 0 && oldSectionPositions[oldPositions[$0]] == oldSection
        }
        let isFixed = remaining.map { !isChanged($0) }
        let isKept = StableOrder.kept(remaining.map { oldPositions[$0] }, isFixed: isFixed)
        var moves: [Row] = []
        var updates: [Row] = []
        var insertions: [Row] = []
        var next = 0
        for position in range {
            let key = new.keys[position]
            var path: IndexPath { [section, position - range.lowerBound] }
            guard oldPositions[position] >= 0 else {
                insertions.append(Row(key: key, kind: .insertion, oldPath: nil, newPath: path))
                continue
            }
            let stays = next < remaining.count && remaining[next] == position
            let keepsOrder = stays && isKept[next]
            if stays { next += 1 }
            if !keepsOrder {
                moves.append(
                    Row(key: key, kind: .move, oldPath: oldPath(oldPositions[position]), newPath: path))
            } else if isChanged(position) {
                updates.append(
                    Row(key: key, kind: .update, oldPath: oldPath(oldPositions[position]), newPath: path))
            }
        }
        return (moves, updates, insertions, isFixed.contains(true))
    }

    private func isChanged(_ position: Int) -> Bool {
        !changedKeys.isEmpty && changedKeys.contains(new.keys[position])
    }

    /// - Parameter isAnchored: For each new section, whether it contains a row that did not change. The order
    ///   of two such sections cannot have changed.
    private func compareSections(isAnchored: [Bool]) -> [ResultsChange.SectionEvent] {
        let surviving = new.sections.indices.filter { oldSections[$0] != nil }
        let isKept = StableOrder.kept(
            surviving.compactMap { oldSections[$0] }, isFixed: surviving.map { isAnchored[$0] })
        typealias Event = ResultsChange.SectionEvent
        let deletions = old.sections.indices.reversed().filter { !hasSurvived[$0] }.map {
            Event(.deletion, from: ($0, old.sections[$0]), to: nil)
        }
        let insertions = new.sections.indices.filter { oldSections[$0] == nil }.map {
            Event(.insertion, from: nil, to: ($0, new.sections[$0]))
        }
        func event(_ kind: ResultsChange.Kind, _ position: Int) -> Event {
            Event(
                kind, from: oldSections[position].map { ($0, old.sections[$0]) },
                to: (position, new.sections[position]))
        }
        let moves = zip(surviving, isKept).filter { !$1 }.map { position, _ in event(.move, position) }
        let updates = surviving.filter { position in
            oldSections[position].map { !old.sections[$0].name.hasBytes(of: new.sections[position].name) }
                ?? false
        }.map { event(.update, $0) }
        return deletions + insertions + moves + updates
    }
}
