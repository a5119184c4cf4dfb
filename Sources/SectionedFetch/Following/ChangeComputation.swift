import Foundation
import ObjectStorage
import SectionCaching

/// Computes what changed between two states of sectioned results.
///
/// Sections are told apart by the bytes of their keys, rows by their keys. Nothing but what is given decides,
/// so the answer does not depend on the order of statements in a transaction.
struct ChangeComputation {
    private let old: SectionedRows
    private let new: SectionedRows
    private let changedKeys: Set<Int64>
    /// For each new section the position of the same section before.
    private let oldSections: [Int?]
    /// For each old section, whether it is still there.
    private let hasSurvived: [Bool]
    /// For each old row the position of its section.
    private let oldSectionPositions: [Int]
    /// For each new row its place before, or -1.
    private let oldPlaces: [Int]

    /// A row of one of the two states, without its identity.
    struct Row {
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
    /// - Parameter changedKeys: The rows whose content changed, among others.
    /// - Complexity: O(*n* log *n*) in the number of rows; O(*n*) if no row changed its order.
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
        oldPlaces = Self.oldPlaces(of: new.keys, in: old.keys)
        compare()
    }

    /// The places that keys have in another list, or -1. What the lists have in common at both ends is not
    /// looked up.
    private static func oldPlaces(of keys: [Int64], in oldKeys: [Int64]) -> [Int] {
        var places = Array(repeating: -1, count: keys.count)
        let shorter = min(keys.count, oldKeys.count)
        var prefix = 0
        while prefix < shorter, keys[prefix] == oldKeys[prefix] {
            places[prefix] = prefix
            prefix += 1
        }
        var suffix = 0
        while suffix < shorter - prefix,
            keys[keys.count - 1 - suffix] == oldKeys[oldKeys.count - 1 - suffix]
        {
            places[keys.count - 1 - suffix] = oldKeys.count - 1 - suffix
            suffix += 1
        }
        guard prefix + suffix < keys.count else { return places }
        var known: [Int64: Int] = [:]
        for place in prefix..<oldKeys.count - suffix { known[oldKeys[place]] = place }
        for position in prefix..<keys.count - suffix { places[position] = known[keys[position]] ?? -1 }
        return places
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
        for place in oldPlaces where place >= 0 { isThere[place] = true }
        return old.keys.indices.reversed().filter { !isThere[$0] }.map {
            Row(key: old.keys[$0], kind: .deletion, oldPath: oldPath($0), newPath: nil)
        }
    }

    private func oldPath(_ place: Int) -> IndexPath {
        let section = oldSectionPositions[place]
        return [section, place - old.sections[section].rows.lowerBound]
    }

    private func compareRows(
        ofSection position: Int
    ) -> (moves: [Row], updates: [Row], insertions: [Row], hasFixedRows: Bool) {
        let range = new.sections[position].rows
        let oldSection = oldSections[position]
        let remaining = range.filter {
            oldPlaces[$0] >= 0 && oldSectionPositions[oldPlaces[$0]] == oldSection
        }
        let isFixed = remaining.map { !isChanged($0) }
        let isKept = StableOrder.kept(remaining.map { oldPlaces[$0] }, isFixed: isFixed)
        var moves: [Row] = []
        var updates: [Row] = []
        var insertions: [Row] = []
        var next = 0
        for place in range {
            let key = new.keys[place]
            var path: IndexPath { [position, place - range.lowerBound] }
            guard oldPlaces[place] >= 0 else {
                insertions.append(Row(key: key, kind: .insertion, oldPath: nil, newPath: path))
                continue
            }
            let stays = next < remaining.count && remaining[next] == place
            let keepsOrder = stays && isKept[next]
            if stays { next += 1 }
            if !keepsOrder {
                moves.append(Row(key: key, kind: .move, oldPath: oldPath(oldPlaces[place]), newPath: path))
            } else if isChanged(place) {
                updates.append(
                    Row(key: key, kind: .update, oldPath: oldPath(oldPlaces[place]), newPath: path))
            }
        }
        return (moves, updates, insertions, isFixed.contains(true))
    }

    private func isChanged(_ place: Int) -> Bool {
        !changedKeys.isEmpty && changedKeys.contains(new.keys[place])
    }

    /// - Parameter isAnchored: For each new section, whether a row is in it that did not change: two such
    ///   sections cannot have changed their order.
    private func compareSections(isAnchored: [Bool]) -> [ResultsChange.SectionEvent] {
        let surviving = new.sections.indices.filter { oldSections[$0] != nil }
        let isKept = StableOrder.kept(
            surviving.compactMap { oldSections[$0] }, isFixed: surviving.map { isAnchored[$0] })
        let deletions = old.sections.indices.reversed().filter { !hasSurvived[$0] }.map {
            ResultsChange.SectionEvent(.deletion, of: old.sections[$0], from: $0, to: nil)
        }
        let insertions = new.sections.indices.filter { oldSections[$0] == nil }.map {
            ResultsChange.SectionEvent(.insertion, of: new.sections[$0], from: nil, to: $0)
        }
        let moves = zip(surviving, isKept).filter { !$1 }.map { position, _ in
            ResultsChange.SectionEvent(
                .move, of: new.sections[position], from: oldSections[position], to: position)
        }
        let updates = surviving.filter { position in
            oldSections[position].map { !old.sections[$0].name.hasBytes(of: new.sections[position].name) }
                ?? false
        }.map { ResultsChange.SectionEvent(.update, of: new.sections[$0], from: oldSections[$0], to: $0) }
        return deletions + insertions + moves + updates
    }
}
