import Foundation
import SectionedFetch

/// A change of nested sections as a change of their subsections in one sequence.
struct FlattenedChange {
    private let change: ResultsChange
    private let old: [TableSection]
    /// The position of the first subsection of each section, followed by the number of all subsections.
    private let oldStarts: [Int]
    private let newStarts: [Int]
    private let outer: SectionMapping
    /// The positions of sections that move, in the old state.
    private let moved: Set<Int>
    /// The paths of deleted subsections.
    private let deleted: Set<IndexPath>
    /// For each section of the old state, the positions of its subsections that are deleted or move.
    private var leaving: [Int: Set<Int>] = [:]
    /// For each section of the new state, the positions of its subsections that are inserted or moved.
    private var arriving: [Int: Set<Int>] = [:]

    /// Creates the flattened form of a change.
    ///
    /// - Parameter sections: The subsections of the old state.
    init(_ change: ResultsChange, of sections: [TableSection]) {
        self.change = change
        old = sections
        var starts: [Int] = []
        for position in sections.indices
        where position == 0 || sections[position].group?.identity != sections[position - 1].group?.identity {
            starts.append(position)
        }
        oldStarts = starts + [sections.count]
        let events = change.sectionEvents
        let moves = events.filter { $0.kind == .move }
        let gone = Set(events.filter { $0.kind == .deletion || $0.kind == .move }.compactMap(\.oldPosition))
        let come = Set(events.filter { $0.kind == .insertion || $0.kind == .move }.compactMap(\.newPosition))
        let growth = events.count { $0.kind == .insertion } - events.count { $0.kind == .deletion }
        outer = SectionMapping(
            oldCount: starts.count, newCount: starts.count + growth, isLeaving: gone.contains,
            isComing: come.contains,
            moves: moves.compactMap { event in
                guard let from = event.oldPosition, let to = event.newPosition else { return nil }
                return (from, to)
            })
        moved = Set(moves.compactMap(\.oldPosition))
        deleted = Set(change.subsectionEvents.filter { $0.kind == .deletion }.compactMap(\.indexPath))
        var growths: [Int: Int] = [:]
        for event in change.subsectionEvents {
            if event.kind == .deletion || event.kind == .move, let path = event.indexPath {
                leaving[path[0], default: []].insert(path[1])
            }
            if event.kind == .insertion || event.kind == .move, let path = event.newIndexPath {
                arriving[path[0], default: []].insert(path[1])
            }
            if event.kind == .insertion, let path = event.newIndexPath { growths[path[0], default: 0] += 1 }
            if event.kind == .deletion, let path = event.indexPath,
                let section = outer.newPositions[path[0]]
            {
                growths[section, default: 0] -= 1
            }
        }
        var newStarts = [0]
        for (position, origin) in outer.oldPositions.enumerated() {
            var count = 0
            if let origin { count = oldStarts[origin + 1] - oldStarts[origin] }
            newStarts.append(newStarts[position] + count + growths[position, default: 0])
        }
        self.newStarts = newStarts
    }

    /// Records the change in a table.
    func record<Cell>(in table: inout TableModel<Cell>) {
        var reloaded: [Int: (title: String, group: TableSection.Group?)] = [:]
        for event in change.sectionEvents {
            if event.kind == .move, let from = event.oldPosition, let to = event.newPosition {
                for (origin, position) in survivors(from: from, to: to) {
                    table.moveSection(from: origin, to: position)
                }
            }
            if event.kind == .update, let position = event.oldPosition {
                let group = TableSection.Group(identity: event.identity, title: event.name)
                for subsection in oldStarts[position]..<oldStarts[position + 1]
                where !deleted.contains([position, subsection - oldStarts[position]]) {
                    reloaded[subsection] = (old[subsection].title, group)
                }
            }
        }
        for event in change.subsectionEvents {
            let from = event.indexPath.map { oldStarts[$0[0]] + $0[1] }
            let to = event.newIndexPath.map { newStarts[$0[0]] + $0[1] }
            switch (event.kind, from, to) {
            case (.deletion, let from?, _): table.deleteSection(at: from)
            case (.insertion, _, let to?):
                table.insertSection(at: to, title: event.name, group: group(of: event))
            case (.move, let from?, let to?):
                // A section that moves takes its subsections along.
                if event.indexPath.map({ moved.contains($0[0]) }) == false {
                    table.moveSection(from: from, to: to)
                }
            case (.update, let from?, _):
                reloaded[from] = (event.name, reloaded[from]?.group ?? old[from].group)
            default: preconditionFailure("An event without its path: \(event)")
            }
        }
        for (position, header) in reloaded.sorted(by: { $0.key < $1.key }) {
            table.reloadSection(at: position, title: header.title, group: header.group)
        }
        for event in change.rowEvents { record(event, in: &table) }
    }

    private func record<Cell>(_ event: ResultsChange.RowEvent, in table: inout TableModel<Cell>) {
        func path(_ path: IndexPath?, _ starts: [Int]) -> RowPath? {
            path.map { RowPath(section: starts[$0[0]] + $0[1], row: $0[2]) }
        }
        switch (event.kind, path(event.indexPath, oldStarts), path(event.newIndexPath, newStarts)) {
        case (.insertion, _, let new?): table.insertRow(at: new)
        case (.deletion, let old?, _): table.deleteRow(at: old)
        case (.move, let old?, let new?): table.moveRow(from: old, to: new)
        case (.update, let old?, _): table.reloadRow(at: old)
        default: preconditionFailure("An event without its path: \(event)")
        }
    }

    /// Returns the old and new positions of the subsections that a moved section takes along.
    private func survivors(from: Int, to: Int) -> [(old: Int, new: Int)] {
        let moves = change.subsectionEvents.filter { $0.kind == .move && $0.indexPath?[0] == from }
        let mapping = SectionMapping(
            oldCount: oldStarts[from + 1] - oldStarts[from], newCount: newStarts[to + 1] - newStarts[to],
            isLeaving: { leaving[from]?.contains($0) ?? false },
            isComing: { arriving[to]?.contains($0) ?? false },
            moves: moves.compactMap { event in
                guard let from = event.indexPath, let to = event.newIndexPath else { return nil }
                return (from[1], to[1])
            })
        return mapping.newPositions.enumerated().compactMap { position, new in
            new.map { (oldStarts[from] + position, newStarts[to] + $0) }
        }
    }

    /// Returns the group of an inserted subsection: that of its section, whose title is known from the old
    /// state or from an event of the section.
    private func group(of event: ResultsChange.SubsectionEvent) -> TableSection.Group {
        let title =
            change.sectionEvents.last { $0.identity == event.sectionIdentity && $0.kind != .deletion }?.name
            ?? event.newIndexPath.flatMap { outer.oldPositions[$0[0]] }.flatMap {
                old[oldStarts[$0]].group?.title
            }
        return TableSection.Group(identity: event.sectionIdentity, title: title ?? "")
    }
}
