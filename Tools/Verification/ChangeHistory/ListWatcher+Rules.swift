import Foundation
import SectionedFetch

extension ListWatcher {
    /// Checks one change against the states before and after it.
    func check(_ change: ResultsChange, _ old: State, _ new: State) {
        for event in change.rowEvents { count("row \(event.kind)") }
        for event in change.sectionEvents { count("section \(event.kind)") }
        do {
            if old.nested == nil, new.nested == nil { try checkReplay(change, old.shown, new.shown) }
        } catch {
            fail("\(error)")
        }
        if let nested = old.nested, !change.isReload {
            let replayed = nested.applying(change) { $0.plain }
            if replayed != new.nested { fail("replayed:\n\(replayed)\ninstead of\n\(new.nested as Any)") }
            count("nested changes")
        }
        guard !change.isReload else {
            count("reloads")
            if !change.rowEvents.isEmpty { fail("a reload has row events") }
            return
        }
        checkOrder(change)
        checkDifference(change, old, new)
        checkEntities(change, old, new)
        checkContents(change, old, new)
        guard !isReplacing else { return }
        checkRows(change, old, new)
        // Sections and subsections move separately.
        if list.subsection == nil { checkSections(change, old, new) }
    }

    /// Checks rule V1 and the rules of table views.
    private func checkReplay(_ change: ResultsChange, _ old: ShownResults, _ new: ShownResults) throws {
        let replayed = try old.applying(change)
        guard !change.isReload else {
            // A reload names no rows.
            if replayed.sections.map(\.identity) != new.sections.map(\.identity) {
                fail("a reload leads to other sections")
            }
            return
        }
        if replayed != new { fail("replayed:\n\(replayed)\ninstead of\n\(new)\nby \(change.events)") }
        let table = change.forTableViews
        if try old.applying(table) != new { fail("the table view's events give other results") }
        try old.checkTableViewRules(table, new: new)
        if change.sectionsOnly.sectionEvents != change.sectionEvents {
            fail("sectionsOnly has other section events")
        }
    }

    /// Checks that a change is a reload from the threshold on, and below it only if the changed rows may be
    /// unknown.
    ///
    /// - Parameter threshold: The number of changed rows at which a change must be a reload.
    func checkReload(_ change: ResultsChange, threshold: Int, _ old: State, _ new: State) {
        guard !isReplacing else { return }
        let ids = Set(old.contents.keys).union(new.contents.keys)
        let changed = ids.filter { old.contents[$0] != new.contents[$0] }
        let excused = ids.filter { !changed.contains($0) && isExcused($0, old, new) }
        if change.isReload, changed.count + excused.count < threshold, !mayReload,
            !mayOverflow,
            // Without a log, a deletion may concern any row.
            warehouse.schema.origin != .untracked
        {
            fail(
                "a reload for \(changed.count) rows, with at most \(excuses.greatestNumberOfChanges) changes in the log"
            )
        }
        if !change.isReload, changed.count >= threshold {
            fail("no reload although the threshold is \(threshold), for \(changed.count) rows")
        }
    }

    /// Whether more rows may have been written than the log records, by the number of all writes since the
    /// last report.
    private var mayOverflow: Bool {
        guard let logCapacity, !mustTellRows else { return false }
        return excuses.greatestNumberOfChanges >= logCapacity
    }

    /// Checks rule D5: the order of the kinds of events, and of the events of each kind.
    private func checkOrder(_ change: ResultsChange) {
        let rank: (ResultsChange.Event) -> Int = {
            switch $0 {
            case .section(let event): Self.rank(event.kind) * 3
            case .subsection(let event): Self.rank(event.kind) * 3 + 1
            case .row(let event): Self.rank(event.kind) * 3 + 2
            }
        }
        let ranks = change.events.map(rank)
        if ranks != ranks.sorted() { fail("the kinds of events are out of order") }
        for kind in ResultsChange.Kind.allCases {
            let sections = change.sectionEvents.filter { $0.kind == kind }
            let rows = change.rowEvents.filter { $0.kind == kind }
            let isDeletion = kind == .deletion
            let positions = sections.compactMap { isDeletion ? $0.oldPosition.map { -$0 } : $0.newPosition }
            let paths = rows.compactMap { isDeletion ? $0.indexPath : $0.newIndexPath }
            if positions.count != sections.count || positions != positions.sorted() {
                fail("section events of one kind are out of order")
            }
            let sorted = paths.sorted()
            if paths.count != rows.count || paths != (isDeletion ? sorted.reversed() : sorted) {
                fail("row events of one kind are out of order")
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

    /// Checks that the difference of results without sections leads from the old rows to the new ones.
    private func checkDifference(_ change: ResultsChange, _ old: State, _ new: State) {
        guard old.shown.sections.count == 1, list.subsection == nil, change.sectionEvents.isEmpty else {
            return
        }
        guard let difference = change.difference, let rows = new.shown.sections.first?.rows else {
            return fail("the change has no difference")
        }
        let plain = CollectionDifference(
            difference.map { step -> CollectionDifference<ObjectID>.Change in
                switch step {
                case .insert(let offset, let id, let other):
                    .insert(offset: offset, element: id.plain, associatedWith: other)
                case .remove(let offset, let id, let other):
                    .remove(offset: offset, element: id.plain, associatedWith: other)
                }
            })
        if plain.flatMap({ old.shown.sections[0].rows.applying($0) }) != rows {
            fail("the difference leads to other rows")
        }
    }

    /// Checks that an event names a row by its own entity, and a deleted row by the entity that the old
    /// results had.
    private func checkEntities(_ change: ResultsChange, _ old: State, _ new: State) {
        for event in change.rowEvents {
            guard event.kind != .deletion else {
                let kind = old.entityNames[event.row]
                if event.objectID.entityName != kind { fail("\(event.objectID) was a \(kind ?? "nothing")") }
                continue
            }
            let kind = new.contents[event.row]?.part.kind
            if event.objectID.entityName != kind { fail("\(event.objectID) is a \(kind ?? "nothing")") }
        }
    }

    func isExcused(_ id: ObjectID, _ old: State, _ new: State) -> Bool {
        // A row shows the words of its tags, and other changes of tags are reported as well. A row whose
        // position is computed from related objects is reported if these change.
        list.displaysTags || list.isOrderedByCollections
            || [old.contents[id], new.contents[id]].compactMap(\.self).contains(where: excuses.cover)
    }

    /// Checks rules V2, V3, V4 and V8: one event at most for each row, of the right kind.
    private func checkRows(_ change: ResultsChange, _ old: State, _ new: State) {
        var kinds: [ObjectID: ResultsChange.Kind] = [:]
        for event in change.rowEvents
        where kinds.updateValue(event.kind, forKey: event.row) != nil {
            fail("two events of \(event.objectID)")
        }
        var oldPositions: [ObjectID: (section: [UInt8], position: Int)] = [:]
        for section in old.shown.sections {
            for (position, row) in section.rows.enumerated() {
                oldPositions[row] = (section.identity, position)
            }
        }
        for section in new.shown.sections {
            let remaining = section.rows.filter { oldPositions[$0]?.section == section.identity }
            let isUnchanged = remaining.map { self.isUnchanged($0, kinds[$0], old, new) }
            let positions = remaining.map { oldPositions[$0]?.position ?? -1 }
            let moved = remaining.count { kinds[$0] == .move }
            let most = MinimalityOracle.greatestNumberOfKept(positions, mustStay: isUnchanged)
            if remaining.count - moved != most {
                fail("\(moved) of \(remaining.count) rows moved, \(most) could stay")
            }
            for (row, isUnchanged) in zip(remaining, isUnchanged) {
                let kind = kinds[row]
                if isUnchanged, let kind {
                    fail("\(row), which did not change, has \(kind): \(new.contents[row] as Any)")
                }
                if !isUnchanged, kind != .move, kind != .update, !isUnreported(row, old, new) {
                    fail(
                        "\(row), which changed, has \(kind as Any): \(old.contents[row] as Any) → \(new.contents[row] as Any)"
                    )
                }
            }
            for row in section.rows where oldPositions[row]?.section != section.identity {
                let expected: ResultsChange.Kind = oldPositions[row] == nil ? .insertion : .move
                if kinds[row] != expected { fail("\(row) has no \(expected)") }
            }
        }
        for row in oldPositions.keys where new.contents[row] == nil && kinds[row] != .deletion {
            fail("\(row) has no deletion")
        }
    }

    private func isUnchanged(_ row: ObjectID, _ kind: ResultsChange.Kind?, _ old: State, _ new: State) -> Bool
    {
        old.contents[row] == new.contents[row] && !(kind != nil && isExcused(row, old, new))
    }

    /// Whether a row changed only in properties of which the list reports no updates.
    func isUnreported(_ row: ObjectID, _ old: State, _ new: State) -> Bool {
        guard let reported = list.reported, let before = old.contents[row], let now = new.contents[row]
        else { return false }
        return !now.differences(from: before).contains { changed in
            reported.contains {
                $0 == changed || $0.hasPrefix(changed + ".") || changed.hasPrefix($0 + ".")
            }
        }
    }

    /// Checks rule V8 for sections: those with an unchanged row do not move, and as few of the others as
    /// possible.
    private func checkSections(_ change: ResultsChange, _ old: State, _ new: State) {
        var kinds: [ObjectID: ResultsChange.Kind] = [:]
        for event in change.rowEvents { kinds[event.row] = event.kind }
        let positions = new.shown.sections.map { section in
            old.shown.sections.firstIndex { $0.identity == section.identity }
        }
        let isAnchored = zip(new.shown.sections, positions).map { section, position in
            guard let position else { return false }
            let previous = Set(old.shown.sections[position].rows)
            return section.rows.contains { previous.contains($0) && isUnchanged($0, kinds[$0], old, new) }
        }
        let surviving = positions.indices.filter { positions[$0] != nil }
        let most = MinimalityOracle.greatestNumberOfKept(
            surviving.map { positions[$0] ?? -1 }, mustStay: surviving.map { isAnchored[$0] })
        let moved = change.sectionEvents.count { $0.kind == .move }
        if surviving.count - moved != most { fail("\(moved) sections moved, \(most) could stay") }
        let renamed = surviving.filter { position in
            positions[position].map {
                old.shown.sections[$0].name != new.shown.sections[position].name
            } ?? false
        }
        let reported = change.sectionEvents.filter { $0.kind == .update }.compactMap(\.newPosition)
        if renamed != reported { fail("renamed \(renamed), reported \(reported)") }
    }
}
