import Foundation
import SectionedFetch

extension ChangeChecker {
    /// D5: the kinds in their order, and each from the right end.
    func checkOrder(_ change: ResultsChange) {
        let rank: (ResultsChange.Event) -> Int = {
            switch $0 {
            case .section(let event): Self.rank(event.kind) * 2
            case .row(let event): Self.rank(event.kind) * 2 + 1
            }
        }
        let ranks = change.events.map(rank)
        if ranks != ranks.sorted() { fail("events out of order") }
        for kind in ResultsChange.Kind.allCases {
            let sections = change.sectionEvents.filter { $0.kind == kind }
            let rows = change.rowEvents.filter { $0.kind == kind }
            let isDeletion = kind == .deletion
            let positions = sections.compactMap { isDeletion ? $0.oldPosition.map { -$0 } : $0.newPosition }
            let paths = rows.compactMap { isDeletion ? $0.indexPath : $0.newIndexPath }
            if positions.count != sections.count || positions != positions.sorted() { fail("section order") }
            let sorted = paths.sorted()
            if paths.count != rows.count || paths != (isDeletion ? sorted.reversed() : sorted) {
                fail("row order")
            }
        }
    }

    private static func rank(_ kind: ResultsChange.Kind) -> Int {
        switch kind {
        case .deletion: 0
        case .insertion: 1
        case .move: 2
        case .update: 3
        }
    }

    /// V2, V3, V4 and V8: each row in one event at most, and which rows in which.
    func checkRows(_ change: ResultsChange, _ old: State, _ new: State) {
        var kinds: [ObjectID: ResultsChange.Kind] = [:]
        for event in change.rowEvents where kinds.updateValue(event.kind, forKey: event.objectID) != nil {
            fail("two events of \(event.objectID)")
        }
        var places: [Item: (section: [UInt8], position: Int)] = [:]
        for section in old.sections {
            for (position, item) in section.items.enumerated() { places[item] = (section.identity, position) }
        }
        for section in new.sections {
            let remaining = section.items.filter { places[$0]?.section == section.identity }
            let isUnchanged = remaining.map { new.contents[$0] == old.contents[$0] }
            let positions = remaining.map { places[$0]?.position ?? -1 }
            let moved = remaining.filter { kinds[$0.objectID] == .move }
            let most = MinimalityOracle.greatestNumberOfKept(positions, mustStay: isUnchanged)
            if remaining.count - moved.count != most, !mayRepeatUpdates {
                fail("\(moved.count) of \(remaining.count) rows moved, \(most) could stay")
            }
            for (item, isUnchanged) in zip(remaining, isUnchanged) {
                let kind = kinds[item.objectID]
                if isUnchanged, kind != nil, !mayRepeatUpdates {
                    fail("an unchanged row has \(kind as Any): \(item)")
                }
                if !isUnchanged, kind != .move, kind != .update {
                    fail("a changed row has \(kind as Any): \(item)")
                }
            }
            for item in section.items where places[item]?.section != section.identity {
                let expected: ResultsChange.Kind = places[item] == nil ? .insertion : .move
                if kinds[item.objectID] != expected { fail("\(item) has no \(expected)") }
            }
        }
        for item in places.keys where new.contents[item] == nil && kinds[item.objectID] != .deletion {
            fail("\(item) has no deletion")
        }
    }

    /// V8 for sections: those with an unchanged row stay, and as many others as can.
    func checkSections(_ change: ResultsChange, _ old: State, _ new: State) {
        let positions = new.sections.map { section in
            old.sections.firstIndex { $0.identity == section.identity }
        }
        let isAnchored = zip(new.sections, positions).map { section, position in
            guard let position else { return false }
            return section.items.contains {
                old.contents[$0] == new.contents[$0] && old.sections[position].items.contains($0)
            }
        }
        let surviving = positions.indices.filter { positions[$0] != nil }
        let most = MinimalityOracle.greatestNumberOfKept(
            surviving.map { positions[$0] ?? -1 }, mustStay: surviving.map { isAnchored[$0] })
        let moved = change.sectionEvents.count { $0.kind == .move }
        if surviving.count - moved != most, !mayRepeatUpdates {
            fail("\(moved) sections moved, \(most) could stay")
        }
        let renamed = surviving.filter { place in
            positions[place].map { old.sections[$0].name != new.sections[place].name } ?? false
        }
        let told = change.sectionEvents.filter { $0.kind == .update }.compactMap(\.newPosition)
        if renamed != told { fail("renamed \(renamed), told \(told)") }
    }
}
