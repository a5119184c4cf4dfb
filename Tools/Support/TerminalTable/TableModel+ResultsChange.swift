package import Foundation
package import SectionedFetch

extension TableModel {
    /// Records all events of a change, in the form for table views.
    ///
    /// Call it between ``beginUpdates()`` and ``endUpdates(newCounts:)``.
    package mutating func record(_ change: ResultsChange) {
        for event in change.forTableViews.events { record(event) }
    }

    /// Records an event.
    package mutating func record(_ event: ResultsChange.Event) {
        switch event {
        case .section(let event): record(event)
        // The table has sections of one level; all events of a change of nested sections are recorded
        // together.
        case .subsection: break
        case .row(let event): record(event)
        }
    }

    private mutating func record(_ event: ResultsChange.SectionEvent) {
        switch (event.kind, event.oldPosition, event.newPosition) {
        case (.insertion, _, let new?): insertSection(at: new, title: event.name)
        case (.deletion, let old?, _): deleteSection(at: old)
        case (.move, let old?, let new?): moveSection(from: old, to: new)
        case (.update, let old?, _): reloadSection(at: old, title: event.name)
        default: preconditionFailure("An event without its position: \(event)")
        }
    }

    private mutating func record(_ event: ResultsChange.RowEvent) {
        switch (event.kind, event.indexPath.map(RowPath.init), event.newIndexPath.map(RowPath.init)) {
        case (.insertion, _, let new?): insertRow(at: new)
        case (.deletion, let old?, _): deleteRow(at: old)
        case (.move, let old?, let new?): moveRow(from: old, to: new)
        case (.update, let old?, _): reloadRow(at: old)
        default: preconditionFailure("An event without its path: \(event)")
        }
    }
}

extension RowPath {
    /// Creates a path from a controller's index path.
    package init(_ indexPath: IndexPath) { self.init(section: indexPath.section, row: indexPath.row) }

    /// The index path for a controller.
    package var indexPath: IndexPath { IndexPath(row: row, section: section) }
}
