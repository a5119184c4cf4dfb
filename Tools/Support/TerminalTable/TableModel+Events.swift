/// The events. Positions of deleted and reloaded sections and rows, and the origins of moves, are positions
/// before the updates; positions of inserted ones, and the destinations of moves, are positions after them.
extension TableModel {
    /// Records that a section is inserted, or a subsection of a group.
    package mutating func insertSection(at position: Int, title: String, group: TableSection.Group? = nil) {
        record {
            $0.insertedSections.append(
                TableUpdates.TitledSection(position: position, title: title, group: group))
        }
    }

    /// Records that a section is deleted with its rows, whose deletion may also be recorded.
    package mutating func deleteSection(at position: Int) {
        record { $0.deletedSections.append(position) }
    }

    /// Records that a section moves with its rows to another position among the sections that stay.
    package mutating func moveSection(from old: Int, to new: Int) {
        record { $0.movedSections.append(TableUpdates.Move(from: old, to: new)) }
    }

    /// Records that a section has a new title, or its group has. Its rows stay and are counted.
    package mutating func reloadSection(at position: Int, title: String, group: TableSection.Group? = nil) {
        record {
            $0.reloadedSections.append(
                TableUpdates.TitledSection(position: position, title: title, group: group))
        }
    }

    /// Records that a row is inserted.
    package mutating func insertRow(at path: RowPath) { record { $0.insertedRows.append(path) } }

    /// Records that a row is deleted.
    package mutating func deleteRow(at path: RowPath) { record { $0.deletedRows.append(path) } }

    /// Records that a row moves to another position.
    package mutating func moveRow(from old: RowPath, to new: RowPath) {
        record { $0.movedRows.append(TableUpdates.Move(from: old, to: new)) }
    }

    /// Records that the content of a row changed.
    package mutating func reloadRow(at path: RowPath) { record { $0.reloadedRows.append(path) } }
}

/// The events that were recorded since updates began.
struct TableUpdates {
    struct TitledSection {
        let position: Int
        let title: String
        let group: TableSection.Group?
    }

    struct Move<Position> {
        let from: Position
        let to: Position
    }

    var insertedSections: [TitledSection] = []
    var deletedSections: [Int] = []
    var movedSections: [Move<Int>] = []
    var reloadedSections: [TitledSection] = []
    var insertedRows: [RowPath] = []
    var deletedRows: [RowPath] = []
    var movedRows: [Move<RowPath>] = []
    var reloadedRows: [RowPath] = []
}
