/// The check at the end of updates.
struct TableUpdateCheck {
    let updates: TableUpdates
    let old: [TableSection]
    let newCounts: [Int]

    /// The kind of an event, as it appears in messages.
    enum Action: String {
        case insert, delete, move, reload
    }

    /// Returns the correspondence of rows before and after the updates.
    ///
    /// - Throws: ``TableUpdateError`` for the first violated rule: positions, then contradictions, then
    ///   counts; sections before rows.
    func mapping() throws(TableUpdateError) -> RowMapping {
        let sections = try sectionMapping()
        let (removed, added) = try checkedRows()
        let mapping = RowMapping(
            sections: sections, removed: removed, added: added, newCounts: newCounts,
            moves: updates.movedRows.map { ($0.from, $0.to) })
        try checkCounts(sections)
        return mapping
    }

    private func sectionMapping() throws(TableUpdateError) -> SectionMapping {
        var leaving: [Int: Action] = [:]
        for position in updates.deletedSections { try note(.delete, position, in: &leaving, old.count) }
        for move in updates.movedSections { try note(.move, move.from, in: &leaving, old.count) }
        var reloaded: [Int: Action] = leaving.filter { $0.value == .delete }
        for section in updates.reloadedSections {
            try note(.reload, section.position, in: &reloaded, old.count)
        }
        var coming: [Int: Action] = [:]
        for section in updates.insertedSections {
            try note(.insert, section.position, in: &coming, newCounts.count, isAfter: true)
        }
        for move in updates.movedSections {
            try note(.move, move.to, in: &coming, newCounts.count, isAfter: true)
        }
        let (inserted, deleted) = (updates.insertedSections.count, updates.deletedSections.count)
        guard old.count + inserted - deleted == newCounts.count else {
            throw .numberOfSections(newCounts.count, from: old.count, inserted: inserted, deleted: deleted)
        }
        return SectionMapping(
            oldCount: old.count, newCount: newCounts.count, isLeaving: { leaving[$0] != nil },
            isComing: { coming[$0] != nil }, moves: updates.movedSections.map { ($0.from, $0.to) })
    }

    private func note(
        _ action: Action, _ position: Int, in noted: inout [Int: Action], _ count: Int, isAfter: Bool = false
    ) throws(TableUpdateError) {
        guard (0..<count).contains(position) else {
            throw TableUpdateError(
                .sectionOutOfRange,
                "attempt to \(action) section \(position), but there are only \(count) sections \(isAfter ? "after" : "before") the update"
            )
        }
        if let other = noted.updateValue(action, forKey: position) {
            throw TableUpdateError(
                .conflict, "attempt to \(Self.both(other, action)) section \(position)")
        }
    }

    private static func both(_ first: Action, _ second: Action) -> String {
        first == second ? "twice \(first)" : "\(first) and \(second) the same"
    }
}

extension TableUpdateCheck {
    /// Rows by section, in order.
    typealias RowsBySection = [Int: [Int]]

    /// Returns the old positions of deleted and moved rows, and the new positions of inserted and moved rows.
    private func checkedRows() throws(TableUpdateError) -> (removed: RowsBySection, added: RowsBySection) {
        let oldCounts = old.map(\.numberOfRows)
        let before =
            updates.deletedRows.map { ($0, Action.delete) } + updates.movedRows.map { ($0.from, .move) }
            + updates.reloadedRows.map { ($0, .reload) }
        let after =
            updates.insertedRows.map { ($0, Action.insert) } + updates.movedRows.map { ($0.to, .move) }
        let removed = try rowsBySection(before, oldCounts, isAfter: false)
        let added = try rowsBySection(after, newCounts, isAfter: true)
        let deletedSections = Set(updates.deletedSections)
        let insertedSections = Set(updates.insertedSections.map(\.position))
        for move in updates.movedRows {
            if deletedSections.contains(move.from.section) {
                throw TableUpdateError(
                    .moveFromDeletedSection,
                    "cannot move row \(move.from.row) from the deleted section \(move.from.section) (“\(old[move.from.section].title)”)"
                )
            }
            if insertedSections.contains(move.to.section) {
                throw TableUpdateError(
                    .moveIntoInsertedSection,
                    "cannot move row \(move.from) into the newly inserted section \(move.to.section)")
            }
        }
        for path in updates.reloadedRows where deletedSections.contains(path.section) {
            throw TableUpdateError(
                .conflict, "attempt to reload row \(path.row) of the deleted section \(path.section)")
        }
        return (removed, added)
    }

    private func rowsBySection(
        _ rows: [(path: RowPath, action: Action)], _ counts: [Int], isAfter: Bool
    ) throws(TableUpdateError) -> RowsBySection {
        let time = isAfter ? "after" : "before"
        let rows = rows.sorted { $0.path < $1.path }
        var result: RowsBySection = [:]
        var previous: (path: RowPath, action: Action)?
        for (path, action) in rows {
            let row = "row \(path.row) \(isAfter ? "to" : "of") section \(path.section)"
            guard counts.indices.contains(path.section) else {
                throw TableUpdateError(
                    .sectionOutOfRange,
                    "attempt to \(action) \(row), but there are only \(counts.count) sections \(time) the update"
                )
            }
            guard (0..<counts[path.section]).contains(path.row) else {
                throw TableUpdateError(
                    .rowOutOfRange,
                    "attempt to \(action) \(row), which only contains \(counts[path.section]) rows \(time) the update"
                )
            }
            if let previous, previous.path == path {
                throw TableUpdateError(
                    .conflict, "attempt to \(Self.both(previous.action, action)) row \(path)")
            }
            previous = (path, action)
            // A reloaded row keeps its position.
            if action != .reload { result[path.section, default: []].append(path.row) }
        }
        return result
    }

    private func checkCounts(_ sections: SectionMapping) throws(TableUpdateError) {
        var counts: [TableUpdateError.RowCounts] = Array(repeating: .init(), count: newCounts.count)
        for path in updates.insertedRows { counts[path.section].inserted += 1 }
        for move in updates.movedRows {
            // A move within a section counts as moved in and as moved out.
            counts[move.to.section].movedIn += 1
            if let position = sections.newPositions[move.from.section] { counts[position].movedOut += 1 }
        }
        for path in updates.deletedRows {
            if let position = sections.newPositions[path.section] { counts[position].deleted += 1 }
        }
        for (position, oldPosition) in sections.oldPositions.enumerated() {
            // The number of rows of an inserted section is taken from the data source.
            guard let oldPosition else { continue }
            let (section, change) = (old[oldPosition], counts[position])
            let expected =
                section.numberOfRows + change.inserted - change.deleted + change.movedIn - change.movedOut
            guard newCounts[position] == expected else {
                throw .numberOfRows(
                    inSection: position, titled: section.title, newCounts[position],
                    from: section.numberOfRows, change)
            }
        }
    }
}
