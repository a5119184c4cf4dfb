import SectionedFetch

/// A few rows that somebody looks at, as a screen has them: what their objects show changes only with an
/// event.
extension ListWatcher {
    /// One row on the screen.
    struct VisibleRow {
        /// Held, so that merges bring it what others changed.
        let object: ManagedObject
        /// What it showed when it was last drawn.
        var record: Record
    }

    /// Draws the rows anew that a change tells of.
    func draw(_ change: ResultsChange, in context: ManagedObjectContext) throws {
        guard !change.isReload, list.includesPendingChanges || !context.hasChanges else {
            return screen = [:]
        }
        for event in change.rowEvents {
            guard let row = screen[event.row] else { continue }
            screen[event.row] = nil
            guard event.kind != .deletion else { continue }
            screen[row.object.plainID] = VisibleRow(object: row.object, record: try Record(part: row.object))
        }
    }

    /// Checks that no row on the screen shows something else than what was drawn, and looks elsewhere.
    func checkScreen(_ controller: Controller) throws {
        let context = controller.managedObjectContext
        // A child is not told of what its parent changes, and where unsaved changes do not count, objects
        // show them all the same.
        guard context.parent == nil, list.includesPendingChanges || !context.hasChanges else {
            return screen = [:]
        }
        let state = translated(state)
        for row in screen.values where !row.object.isDeleted && state.contents[row.object.plainID] != nil {
            let now = try Record(part: row.object)
            if now.values != row.record.values {
                fail("\(row.object.objectID) shows something else without a word: \(row.record) → \(now)")
            }
            if let part = state.contents[row.object.plainID]?.part, now != part {
                fail("\(row.object.objectID) does not show what the data say: \(now), \(part)")
            }
        }
        screen = [:]
        let sections = controller.sections.map(Array.init) ?? []
        for (position, section) in sections.enumerated().prefix(3) {
            guard let object = section.objects.dropFirst(position * 3).first else { continue }
            screen[object.plainID] = VisibleRow(object: object, record: try Record(part: object))
        }
    }
}
