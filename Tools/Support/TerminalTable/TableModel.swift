/// The state of a table view: the headers and row counts from its events, and the cells on the screen.
///
/// A table view reads the whole list from its data source once. Afterwards it receives the changes between
/// ``beginUpdates()`` and ``endUpdates(newCounts:)`` and computes its own counts: the number of rows that a
/// section had, plus the inserted rows, minus the deleted ones. At the end it compares these counts with the
/// data source. If they differ, the shown list does not match the data, and the update fails with an error,
/// as in UIKit.
///
/// The model deliberately does nothing more: it never reads the data to correct its events. Cells on the
/// screen keep their content and are only shifted, so that wrong events become visible.
///
/// The size of the model depends on the numbers of sections and of visible rows, not on the number of rows.
package struct TableModel<Cell> {
    /// The sections, according to the events.
    package private(set) var sections: [TableSection]
    /// The cells that were set and not dropped, by path.
    package private(set) var cells: [RowPath: Cell] = [:]
    private var updates: TableUpdates?

    /// Creates a table with the sections of a list, which are read only here.
    package init(sections: [TableSection] = []) { self.sections = sections }

    /// The number of rows in all sections.
    ///
    /// - Complexity: O(*s*) in the number of sections.
    package var numberOfRows: Int { sections.reduce(0) { $0 + $1.numberOfRows } }

    /// Whether updates have begun and not ended.
    package var isUpdating: Bool { updates != nil }

    /// Sets the cell at a path.
    package mutating func setCell(_ cell: Cell, at path: RowPath) { cells[path] = cell }

    /// Drops the cells at paths that are no longer on the screen.
    package mutating func keepCells(at isVisible: (RowPath) -> Bool) {
        cells = cells.filter { isVisible($0.key) }
    }

    /// Drops all cells, so that they are created again.
    package mutating func dropCells() { cells = [:] }

    /// Begins to record events.
    package mutating func beginUpdates() {
        precondition(updates == nil, "Updates began before the last ones ended.")
        updates = TableUpdates()
    }

    /// Checks and applies the events that were recorded since ``beginUpdates()``.
    ///
    /// - Parameter newCounts: The number of rows of each section, from the data source.
    /// - Returns: The correspondence of rows before and after the updates.
    /// - Throws: ``TableUpdateError`` if the events contradict each other, the previous list, or the new
    ///   counts. The table is then unchanged.
    /// - Complexity: O(*s* + *k* log *k*) for *s* sections and *k* events.
    @discardableResult
    package mutating func endUpdates(newCounts: [Int]) throws(TableUpdateError) -> RowMapping {
        guard let updates else { preconditionFailure("Updates ended without having begun.") }
        self.updates = nil
        let check = TableUpdateCheck(updates: updates, old: sections, newCounts: newCounts)
        let mapping = try check.mapping()
        sections = newSections(updates, mapping, newCounts)
        moveCells(updates, mapping)
        return mapping
    }

    /// Records an event.
    mutating func record(_ note: (inout TableUpdates) -> Void) {
        guard updates != nil else { preconditionFailure("An event was recorded outside of updates.") }
        note(&updates!)
    }

    private func newSections(
        _ updates: TableUpdates, _ mapping: RowMapping, _ newCounts: [Int]
    ) -> [TableSection] {
        var result = newCounts.map { TableSection(title: "", numberOfRows: $0) }
        for (position, oldPosition) in mapping.sections.oldPositions.enumerated() {
            if let oldPosition {
                result[position].title = sections[oldPosition].title
                result[position].group = sections[oldPosition].group
            }
        }
        for section in updates.insertedSections {
            result[section.position].title = section.title
            result[section.position].group = section.group
        }
        for section in updates.reloadedSections {
            guard let position = mapping.sections.newPositions[section.position] else { continue }
            result[position].title = section.title
            result[position].group = section.group
        }
        return result
    }

    private mutating func moveCells(_ updates: TableUpdates, _ mapping: RowMapping) {
        let reloaded = Set(updates.reloadedRows)
        var moved: [RowPath: Cell] = [:]
        for (path, cell) in cells where !reloaded.contains(path) {
            // A row that moved may also have changed, so its cell is created again.
            if let newPath = mapping.shiftedPath(of: path) { moved[newPath] = cell }
        }
        cells = moved
    }
}
