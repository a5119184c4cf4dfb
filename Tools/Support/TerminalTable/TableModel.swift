/// What a table view knows of its list: headers and row counts as it was told them, and the cells on the
/// screen.
///
/// A table view asks its data source for the whole list once. From then on it is told what changes, between
/// ``beginUpdates()`` and ``endUpdates(newCounts:)``, and keeps its own books: a section has the rows that it
/// had, and those that were inserted, less those that were deleted. At the end it asks the data source for
/// the new counts, and if its books say something else, the list that it shows and the data are two different
/// things. Then it stops with an error, as UIKit does, rather than show one for the other.
///
/// It is deliberately no more clever than that: it never looks into the data to repair what it was told.
/// Cells that are on the screen stay what they were and are only shifted, so that wrong events are seen.
///
/// What it keeps depends on the numbers of sections and of visible rows, not on the number of rows.
package struct TableModel<Cell> {
    /// The sections as they were told.
    package private(set) var sections: [TableSection]
    /// The cells that were made and not dropped, by place.
    package private(set) var cells: [RowPath: Cell] = [:]
    private var updates: TableUpdates?

    /// Makes a table of a list's sections, the only time that all of them are asked for.
    package init(sections: [TableSection] = []) { self.sections = sections }

    /// How many rows there are in all.
    ///
    /// - Complexity: O(*s*) in the number of sections.
    package var numberOfRows: Int { sections.reduce(0) { $0 + $1.numberOfRows } }

    /// Whether updates began and did not end.
    package var isUpdating: Bool { updates != nil }

    /// Puts a cell at a place.
    package mutating func setCell(_ cell: Cell, at path: RowPath) { cells[path] = cell }

    /// Drops the cells at places that are not on the screen any more.
    package mutating func keepCells(at isVisible: (RowPath) -> Bool) {
        cells = cells.filter { isVisible($0.key) }
    }

    /// Drops all cells, so that they are made anew.
    package mutating func dropCells() { cells = [:] }

    /// Begins to listen to events.
    package mutating func beginUpdates() {
        precondition(updates == nil, "Updates began before the last ones ended.")
        updates = TableUpdates()
    }

    /// Checks what was told since ``beginUpdates()``, and carries it out.
    ///
    /// - Parameter newCounts: The number of rows of each section, from the data source.
    /// - Returns: Where each row is now.
    /// - Throws: ``TableUpdateError`` if the events contradict each other, the list before, or the new
    ///   counts. Then the table is as it was.
    /// - Complexity: O(*s* + *k* log *k*) for *s* sections and *k* events.
    @discardableResult
    package mutating func endUpdates(newCounts: [Int]) throws(TableUpdateError) -> RowMapping {
        guard let updates else { preconditionFailure("Updates ended that had not begun.") }
        self.updates = nil
        let check = TableUpdateCheck(updates: updates, old: sections, newCounts: newCounts)
        let mapping = try check.mapping()
        sections = newSections(updates, mapping, newCounts)
        moveCells(updates, mapping)
        return mapping
    }

    /// Takes note of an event.
    mutating func record(_ note: (inout TableUpdates) -> Void) {
        guard updates != nil else { preconditionFailure("An event was told outside of updates.") }
        note(&updates!)
    }

    private func newSections(
        _ updates: TableUpdates, _ mapping: RowMapping, _ newCounts: [Int]
    ) -> [TableSection] {
        var result = newCounts.map { TableSection(title: "", numberOfRows: $0) }
        for (position, oldPosition) in mapping.sections.oldPositions.enumerated() {
            if let oldPosition { result[position].title = sections[oldPosition].title }
        }
        for section in updates.insertedSections { result[section.position].title = section.title }
        for section in updates.reloadedSections {
            if let position = mapping.sections.newPositions[section.position] {
                result[position].title = section.title
            }
        }
        return result
    }

    private mutating func moveCells(_ updates: TableUpdates, _ mapping: RowMapping) {
        let reloaded = Set(updates.reloadedRows)
        var moved: [RowPath: Cell] = [:]
        for (path, cell) in cells where !reloaded.contains(path) {
            // A row that moved may have changed as well, so its cell is made anew.
            if let place = mapping.shiftedPath(of: path) { moved[place] = cell }
        }
        cells = moved
    }
}
