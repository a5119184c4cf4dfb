import Foundation
import ObjectStorage
import SectionCaching
import Mutants

extension IncrementalIndexUpdate {
    /// Edits the index.
    func finish(_ editor: SectionIndexEditor) throws -> Outcome? {
        var edit = SectionIndexEdit()
        guard let names = try changedNames() else { return nil }
        editSections(&edit, names)
        editRows(&edit)
        if !edit.isEmpty, !editor.apply(edit) { return nil }
        return Outcome(names: names, index: editor.index)
    }

    /// Whether an arrival need not be removed from the index and inserted again.
    private func isLeftAlone(_ arrival: Arrival) -> Bool {
        guard arrival.isKept, arrival.oldPosition.flatMap(removedKey) == arrival.row.sortKey.key else {
            return false
        }
        if case .placed(let number) = arrival.section { return !placed[number].isMoved }
        return true
    }

    private func editRows(_ edit: inout SectionIndexEdit) {
        var leftAlone: Set<Int> = []
        for (number, arrival) in arrivals.enumerated() {
            if isLeftAlone(arrival), let position = arrival.oldPosition {
                leftAlone.insert(position)
                continue
            }
            edit.insertedRows.append(
                SectionIndexEdit.Row(
                    id: arrival.row.sortKey.key, position: arrival.gap + number,
                    section: max(
                        0, newPosition(of: arrival.section) - (Mutant.sectionBoundary.isPlanted ? 1 : 0))))
        }
        edit.removedRows = remaining.removed.filter { !leftAlone.contains($0) }
    }

    private func editSections(
        _ edit: inout SectionIndexEdit, _ names: [SectionPosition: String]
    ) {
        var staying: Set<Int> = []
        for (number, section) in placed.enumerated() {
            let name = names[.placed(number)] ?? ""
            let entry = SectionIndexEdit.Section(
                position: newPosition(of: .placed(number)), identity: section.identity, name: name,
                indexTitle: SectionName.indexTitle(of: name, key: request.sectionKey))
            if let oldPosition = section.oldPosition, !section.isMoved {
                staying.insert(oldPosition)
                if !old.section(at: oldPosition).name.hasBytes(of: name) {
                    edit.renamedSections.append(entry)
                }
            } else {
                edit.insertedSections.append(entry)
            }
        }
        edit.removedSections = emptied.filter { !staying.contains($0) }
        for (section, name) in names {
            guard case .staying(let position) = section, !old.section(at: position).name.hasBytes(of: name)
            else {
                continue
            }
            edit.renamedSections.append(
                SectionIndexEdit.Section(
                    position: newPosition(of: section), identity: old.identity(ofSection: position),
                    name: name, indexTitle: SectionName.indexTitle(of: name, key: request.sectionKey)))
        }
        edit.renamedSections.sort { $0.position < $1.position }
    }

    /// Returns the names of sections that have another first row, or whose first row changed.
    ///
    /// - Returns: The names; nil if a first row can no longer be read from the old index.
    private func changedNames() throws -> [SectionPosition: String]? {
        guard let sectionNames = request.names else { return [:] }
        var emptyDeclared: Set<Int> = []
        var firstRows: [SectionPosition: StoreSnapshot.GroupStart] = [:]
        for arrival in arrivals where firstRows[arrival.section] == nil {
            guard let group = arrival.row.group else { continue }
            if case .staying(let position) = arrival.section,
                arrival.gap > remaining.count(before: old.rows(ofSection: position).lowerBound)
            {
                continue
            }
            firstRows[arrival.section] = group
        }
        // If a section lost its first row and no arrival took its place, the first remaining row gives the
        // name.
        var orphans: [Int64: Int] = [:]
        for position in remaining.removed where !Mutant.keptName.isPlanted {
            let section = old.sectionPosition(containing: position)
            guard old.rows(ofSection: section).lowerBound == position,
                firstRows[.staying(section)] == nil,
                emptied.count(below: section + 1) == emptied.count(below: section)
            else { continue }
            let first = remaining.oldPosition(of: remaining.count(before: position))
            guard first < old.rows(ofSection: section).upperBound else {
                emptyDeclared.insert(section)
                continue
            }
            guard let key = old.rowIDs(in: first..<first + 1)?.first else { return nil }
            orphans[key] = section
        }
        let found = try snapshot.rows(withKeys: Array(orphans.keys), compiled)
        guard found.count == orphans.count else { return nil }
        for row in found {
            if let section = orphans[row.sortKey.key] { firstRows[.staying(section)] = row.group }
        }
        guard !firstRows.isEmpty || !emptyDeclared.isEmpty else { return [:] }
        var names = firstRows.mapValues(sectionNames.name)
        for position in emptyDeclared {
            names[.staying(position)] = sectionNames.nameOfEmptySection(old.identity(ofSection: position))
        }
        return names
    }

    // MARK: Events

    /// Returns the events of sections, in the order of a change's events.
    func sectionEvents(of outcome: Outcome) -> [ResultsChange.SectionEvent] {
        let (names, new) = (outcome.names, outcome.index)
        let surviving = Set(placed.compactMap(\.oldPosition))
        var events = emptied.reversed().filter { !surviving.contains($0) }.map { position in
            ResultsChange.SectionEvent(
                .deletion, from: (position, self.old.section(at: position)), to: nil)
        }
        func event(_ kind: ResultsChange.Kind, _ old: Int?, _ position: Int) -> ResultsChange.SectionEvent {
            ResultsChange.SectionEvent(
                kind, from: old.map { ($0, self.old.section(at: $0)) },
                to: (position, new.section(at: position)))
        }
        for (number, section) in placed.enumerated() where section.oldPosition == nil {
            events.append(event(.insertion, nil, newPosition(of: .placed(number))))
        }
        for (number, section) in placed.enumerated() where section.isMoved {
            events.append(event(.move, section.oldPosition, newPosition(of: .placed(number))))
        }
        let renamed = names.keys.compactMap { section -> (old: Int, new: Int)? in
            guard let position = oldPosition(of: section),
                let name = names[section], !old.section(at: position).name.hasBytes(of: name)
            else { return nil }
            return (position, newPosition(of: section))
        }
        for section in renamed.sorted(by: { $0.new < $1.new }) where !Mutant.unreportedName.isPlanted {
            events.append(event(.update, section.old, section.new))
        }
        return events
    }

    /// Returns the events of rows, in the order of a change's events.
    func rowEvents(of outcome: Outcome) -> [ChangeComputation.Row] {
        let new = outcome.index
        var insertions: [ChangeComputation.Row] = []
        var moves: [ChangeComputation.Row] = []
        var updates: [ChangeComputation.Row] = []
        var surviving: Set<Int> = []
        for (number, arrival) in arrivals.enumerated() {
            let key = arrival.row.sortKey.key
            let section = newPosition(of: arrival.section)
            var newPath: IndexPath {
                [section, arrival.gap + number - new.rows(ofSection: section).lowerBound]
            }
            guard let position = arrival.oldPosition else {
                insertions.append(.init(key: key, kind: .insertion, oldPath: nil, newPath: newPath))
                continue
            }
            surviving.insert(position)
            let isMoved =
                Mutant.absoluteMove.isPlanted ? position != arrival.gap + number : !arrival.isKept
            if isMoved {
                moves.append(.init(key: key, kind: .move, oldPath: oldPath(position), newPath: newPath))
            } else if rows.changedKeys.contains(key) {
                let oldPath = Mutant.shiftedUpdate.isPlanted ? newPath : oldPath(position)
                updates.append(.init(key: key, kind: .update, oldPath: oldPath, newPath: newPath))
            }
        }
        var deletions = remaining.removed.reversed().filter { !surviving.contains($0) }.map { position in
            ChangeComputation.Row(
                key: removedKey(at: position) ?? 0, kind: .deletion, oldPath: oldPath(position), newPath: nil)
        }
        if Mutant.unreportedRows.isPlanted {
            deletions.removeAll { emptied.contains($0.oldPath?[0] ?? -1) }
        }
        return deletions + insertions + moves + updates
    }

    private func oldPath(_ position: Int) -> IndexPath {
        let position = Mutant.newDeletionPaths.isPlanted ? remaining.count(before: position) : position
        let section = old.sectionPosition(containing: position)
        return [section, position - old.rows(ofSection: section).lowerBound]
    }
}
