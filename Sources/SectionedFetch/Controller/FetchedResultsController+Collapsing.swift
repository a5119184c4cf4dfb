import ObjectStorage
import SectionCaching

/// Sections that a view shows without their rows.
extension FetchedResultsController {
    /// Returns a change in which a collapsed section has one update instead of the events of its rows.
    func collapsing(_ change: ResultsChange, from old: Results, to new: ShownSections) -> ResultsChange {
        guard !change.isReload else { return change }
        func isCollapsed(_ section: ResultsChange.Section?) -> Bool {
            section.map { collapsedSections.contains($0.identity) } ?? false
        }
        var touched: Set<[UInt8]> = []
        var deletions: [ResultsChange.RowEvent] = []
        var insertions: [ResultsChange.RowEvent] = []
        var others: [ResultsChange.RowEvent] = []
        for event in change.rowEvents {
            for section in [event.oldSection, event.newSection] where isCollapsed(section) {
                if let section { touched.insert(section.identity) }
            }
            let leaves = event.oldSection != nil && !isCollapsed(event.oldSection)
            let arrives = event.newSection != nil && !isCollapsed(event.newSection)
            switch (leaves, arrives) {
            case (true, true): others.append(event)
            case (true, false): deletions.append(event.asDeletion)
            case (false, true): insertions.append(event.asInsertion)
            case (false, false): break
            }
        }
        return ResultsChange(
            sectionEvents: change.sectionEvents + updates(of: touched, besides: change, from: old, to: new),
            subsectionEvents: change.subsectionEvents.filter {
                !collapsedSections.contains($0.sectionIdentity)
            },
            rowEvents: deletions.fromTheEnd + insertions.fromTheBeginning + others)
    }

    /// Returns the updates of collapsed sections whose rows changed, unless they have one already or are
    /// inserted or deleted.
    private func updates(
        of sections: Set<[UInt8]>, besides change: ResultsChange, from old: Results, to new: ShownSections
    ) -> [ResultsChange.SectionEvent] {
        let known = Set(change.sectionEvents.lazy.filter { $0.kind != .move }.map(\.identity))
        let lookup = SectionLookup(new)
        return sections.subtracting(known).compactMap { identity in
            guard let before = old.sectionLookup.position(ofIdentity: identity),
                let now = lookup.position(ofIdentity: identity)
            else { return nil }
            return ResultsChange.SectionEvent(
                .update, from: (before, old.shown.section(at: before)), to: (now, new.section(at: now)))
        }.sorted { ($0.newPosition ?? 0) < ($1.newPosition ?? 0) }
    }
}
