import Foundation
import SectionedFetch

/// Sectioned results as plain arrays, such as a view would have.
struct ShownResults: Equatable {
    /// One section.
    struct Section: Equatable {
        let identity: [UInt8]
        var name: String
        var rows: [ObjectID]
    }

    var sections: [Section] = []

    /// Returns the arrays after a change.
    ///
    /// Deletes rows, deletes sections from the last to the first, inserts sections from the first to the
    /// last, and inserts rows. It uses the old state and the events alone.
    ///
    /// - Throws: ``ReplayFailure`` if an event does not fit the arrays.
    func applying(_ change: ResultsChange) throws(ReplayFailure) -> ShownResults {
        var result = self
        try result.removeRows(change.rowEvents)
        var carried: [[UInt8]: Section] = [:]
        let leaving = change.sectionEvents.filter { $0.kind == .deletion || $0.kind == .move }
        for event in leaving.sorted(by: { $0.oldPosition ?? -1 > $1.oldPosition ?? -1 }) {
            guard let position = event.oldPosition, result.sections.indices.contains(position),
                result.sections[position].identity == event.identity
            else { throw ReplayFailure("no such section: \(event)") }
            let section = result.sections.remove(at: position)
            if event.kind == .move { carried[event.identity] = section }
            if event.kind == .deletion, !section.rows.isEmpty, !change.isReload {
                throw ReplayFailure("a deleted section still has rows: \(section)")
            }
        }
        let coming = change.sectionEvents.filter { $0.kind == .insertion || $0.kind == .move }
        for event in coming.sorted(by: { $0.newPosition ?? -1 < $1.newPosition ?? -1 }) {
            guard let position = event.newPosition, position <= result.sections.count else {
                throw ReplayFailure("no such position: \(event)")
            }
            let new = Section(identity: event.identity, name: event.name, rows: [])
            result.sections.insert(carried[event.identity] ?? new, at: position)
        }
        for event in change.sectionEvents where event.kind == .update {
            guard let position = event.newPosition, result.sections.indices.contains(position),
                result.sections[position].identity == event.identity,
                result.sections[position].name != event.name
            else { throw ReplayFailure("nothing to rename: \(event)") }
            result.sections[position].name = event.name
        }
        try result.insertRows(change.rowEvents)
        for event in change.rowEvents where event.kind == .update {
            guard let old = event.indexPath, let new = event.newIndexPath, self[old] == event.row,
                result[new] == event.row
            else { throw ReplayFailure("the update is at another path: \(event)") }
        }
        return result
    }

    private mutating func removeRows(_ events: [ResultsChange.RowEvent]) throws(ReplayFailure) {
        let leaving = events.filter { $0.kind == .deletion || $0.kind == .move }
        for event in leaving.sorted(by: { $0.indexPath ?? [] > $1.indexPath ?? [] }) {
            guard let path = event.indexPath, self[path] == event.row else {
                throw ReplayFailure("no such row: \(event)")
            }
            sections[path[0]].rows.remove(at: path[1])
        }
    }

    private mutating func insertRows(_ events: [ResultsChange.RowEvent]) throws(ReplayFailure) {
        let coming = events.filter { $0.kind == .insertion || $0.kind == .move }
        for event in coming.sorted(by: { $0.newIndexPath ?? [] < $1.newIndexPath ?? [] }) {
            guard let path = event.newIndexPath, sections.indices.contains(path[0]),
                path[1] <= sections[path[0]].rows.count
            else { throw ReplayFailure("no such path: \(event)") }
            sections[path[0]].rows.insert(event.row, at: path[1])
        }
    }

    private subscript(path: IndexPath) -> ObjectID? {
        guard sections.indices.contains(path[0]), sections[path[0]].rows.indices.contains(path[1]) else {
            return nil
        }
        return sections[path[0]].rows[path[1]]
    }
}

extension ResultsSnapshot<ManagedObject> {
    /// The sections of a snapshot; of nested sections, the subsections with the names of both.
    var shownSections: [ShownResults.Section] {
        flatMap { section in
            guard !section.subsections.isEmpty else {
                return [
                    ShownResults.Section(
                        identity: section.identity, name: section.name,
                        rows: section.map { $0.plain })
                ]
            }
            return section.subsections.map { subsection in
                ShownResults.Section(
                    identity: section.identity + [0] + subsection.identity,
                    name: "\(section.name)/\(subsection.name)", rows: subsection.map { $0.plain })
            }
        }
    }
}

extension ResultsChange.RowEvent {
    /// The plain ID of the event's row.
    var row: ObjectID { objectID.plain }
}

/// The reason why a change does not fit the old arrays, or why a table view would refuse it.
struct ReplayFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension ShownResults {
    /// Checks the rules of a table view: which events it refuses, and how it counts.
    func checkTableViewRules(_ change: ResultsChange, new: ShownResults) throws(ReplayFailure) {
        var deleted: Set<Int> = []
        var inserted: Set<Int> = []
        for event in change.sectionEvents where event.kind == .deletion {
            deleted.insert(event.oldPosition ?? -1)
        }
        for event in change.sectionEvents where event.kind == .insertion {
            inserted.insert(event.newPosition ?? -1)
        }
        guard sections.count - deleted.count + inserted.count == new.sections.count else {
            throw ReplayFailure("invalid number of sections")
        }
        var removed: [Int: Int] = [:]
        var added: [Int: Int] = [:]
        for event in change.rowEvents where event.kind != .update {
            if event.kind == .move {
                guard let old = event.indexPath, let target = event.newIndexPath, !deleted.contains(old[0]),
                    !inserted.contains(target[0])
                else { throw ReplayFailure("a move out of a deleted section or into a new one: \(event)") }
            }
            if let path = event.indexPath { removed[path[0], default: 0] += 1 }
            if let path = event.newIndexPath { added[path[0], default: 0] += 1 }
        }
        for (position, section) in sections.enumerated() where !deleted.contains(position) {
            guard let target = new.sections.firstIndex(where: { $0.identity == section.identity }),
                section.rows.count - removed[position, default: 0] + added[target, default: 0]
                    == new.sections[target].rows.count
            else { throw ReplayFailure("invalid number of rows in section \(position)") }
        }
    }
}
