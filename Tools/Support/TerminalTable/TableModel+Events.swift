/// The events. Places of what is deleted or reloaded, and those from which something moves, are places before
/// the updates; those of what is inserted, and those to which something moves, are places after them.
extension TableModel {
    /// Tells of a new section.
    package mutating func insertSection(at position: Int, title: String) {
        record { $0.insertedSections.append(TableUpdates.TitledSection(position: position, title: title)) }
    }

    /// Tells that a section is gone. Its rows go with it, whether or not they are told as well.
    package mutating func deleteSection(at position: Int) {
        record { $0.deletedSections.append(position) }
    }

    /// Tells that a section has another place among those that stay. It takes its rows along.
    package mutating func moveSection(from old: Int, to new: Int) {
        record { $0.movedSections.append(TableUpdates.Move(from: old, to: new)) }
    }

    /// Tells that a section is called something else. Its rows stay, and are counted.
    package mutating func reloadSection(at position: Int, title: String) {
        record { $0.reloadedSections.append(TableUpdates.TitledSection(position: position, title: title)) }
    }

    /// Tells of a new row.
    package mutating func insertRow(at path: RowPath) { record { $0.insertedRows.append(path) } }

    /// Tells that a row is gone.
    package mutating func deleteRow(at path: RowPath) { record { $0.deletedRows.append(path) } }

    /// Tells that a row has another place.
    package mutating func moveRow(from old: RowPath, to new: RowPath) {
        record { $0.movedRows.append(TableUpdates.Move(from: old, to: new)) }
    }

    /// Tells that a row shows something else.
    package mutating func reloadRow(at path: RowPath) { record { $0.reloadedRows.append(path) } }
}

/// The events that were told since updates began.
struct TableUpdates {
    struct TitledSection {
        let position: Int
        let title: String
    }

    struct Move<Place> {
        let from: Place
        let to: Place
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
