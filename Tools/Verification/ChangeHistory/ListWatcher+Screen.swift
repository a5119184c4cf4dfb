import SectionedFetch

/// A few rows as a screen shows them: their objects' values may change only with an event.
extension ListWatcher {
    /// One row on the screen.
    struct VisibleRow {
        /// Strong, so that merges update it.
        let object: ManagedObject
        /// The values of the last drawing.
        var record: Record
    }

    /// Draws the rows for which a change has an event.
    func draw(_ change: ResultsChange, in context: ManagedObjectContext) throws {
        guard !change.isReload, list.includesPendingChanges || !context.hasChanges else {
            return screen = [:]
        }
        for event in change.rowEvents {
            guard let row = screen[event.row] else { continue }
            screen[event.row] = nil
            guard event.kind != .deletion else { continue }
            screen[row.object.plainID] = VisibleRow(
                object: row.object, record: try Record(listed: row.object))
        }
    }

    /// Checks that each row on the screen still shows the drawn values, and puts other rows on the screen.
    func checkScreen(_ controller: Controller) throws {
        let context = controller.managedObjectContext
        // A child is not notified of changes in its parent. In a list without unsaved changes, the objects
        // show them nevertheless.
        guard context.parent == nil, list.includesPendingChanges || !context.hasChanges else {
            return screen = [:]
        }
        let state = translated(state)
        for row in screen.values where !row.object.isDeleted && state.contents[row.object.plainID] != nil {
            let now = try Record(listed: row.object)
            if now.values != row.record.values, list.reported == nil {
                fail("\(row.object.objectID) changed without an event: \(row.record) → \(now)")
            }
            if let part = state.contents[row.object.plainID]?.part, now != part {
                fail("\(row.object.objectID) differs from the committed row: \(now), \(part)")
            }
        }
        screen = [:]
        let sections = controller.sections.map(Array.init) ?? []
        for (position, section) in sections.enumerated().prefix(3) {
            guard let object = section.objects.dropFirst(position * 3).first else { continue }
            screen[object.plainID] = VisibleRow(object: object, record: try Record(listed: object))
        }
    }
}
