import SectionCaching
import CheckSupport

/// An index of plain arrays that applies random changes, and the edits that describe these.
///
/// The arrays are changed one row at a time. The edit is computed by comparing the arrays before and after,
/// and not from the changes.
struct EditedPlainIndex {
    private(set) var plain: PlainIndex
    private var nextID: Int64
    private var nextSection = 0
    /// IDs that were skipped, and are inserted later than larger ones.
    private var skippedIDs: [Int64] = []

    init(_ plain: PlainIndex) {
        self.plain = plain
        nextID = (plain.rowIDs.max() ?? 0) &+ 1
    }

    /// Applies `size` random changes to the arrays.
    ///
    /// - Returns: The edit from the arrays before to those after.
    mutating func change(_ size: Int, using generator: inout SeededGenerator) -> SectionIndexEdit {
        let before = plain
        for _ in 0..<size { changeOnce(using: &generator) }
        return Self.edit(from: before, to: plain)
    }

    private mutating func changeOnce(using generator: inout SeededGenerator) {
        let section = plain.sections.indices.randomElement(using: &generator)
        switch (Int.random(in: 0..<40, using: &generator), section) {
        case (0..<14, let section?): insert(section, using: &generator)
        case (14..<26, let section?): _ = remove(section, using: &generator)
        case (26..<35, let section?):
            if let id = remove(section, using: &generator),
                let other = plain.sections.indices.randomElement(using: &generator)
            {
                place(id, in: other, using: &generator)
            }
        case (35, let section?):
            plain.sections[section].name = PlainIndex.names.randomElement(using: &generator) ?? ""
            plain.sections[section].title = String(plain.sections[section].name.prefix(1))
        case (36, let section?): plain.sections.remove(at: section)
        default:
            let position = Int.random(in: 0...plain.sections.count, using: &generator)
            nextSection += 1
            plain.sections.insert(
                .init(
                    identity: Array("new \(nextSection)".utf8), name: "section \(nextSection)", title: "s",
                    rowIDs: []), at: position)
            for _ in 0..<Int.random(in: 0..<3, using: &generator) { insert(position, using: &generator) }
        }
    }

    private mutating func insert(_ section: Int, using generator: inout SeededGenerator) {
        // New objects that are not saved have keys near `Int64.min`.
        let isUnsaved = Int.random(in: 0..<8, using: &generator) == 0
        let id = newID(using: &generator)
        place(isUnsaved ? .min + id : id, in: section, using: &generator)
    }

    /// Returns the next ID, an ID far ahead of it, or a skipped ID.
    private mutating func newID(using generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            let step = Int64.random(in: 2...900, using: &generator)
            skippedIDs += [nextID, nextID + step / 2]
            nextID += step
        case 1..<4 where !skippedIDs.isEmpty:
            return skippedIDs.remove(at: Int.random(in: 0..<skippedIDs.count, using: &generator))
        default: break
        }
        defer { nextID += 1 }
        return nextID
    }

    private mutating func place(_ id: Int64, in section: Int, using generator: inout SeededGenerator) {
        let count = plain.sections[section].rowIDs.count
        // Often an end of the section, where chunks meet.
        let position = [0, count, Int.random(in: 0...count, using: &generator)]
        plain.sections[section].rowIDs.insert(id, at: position.randomElement(using: &generator) ?? 0)
    }

    private mutating func remove(_ section: Int, using generator: inout SeededGenerator) -> Int64? {
        let position = plain.sections[section].rowIDs.indices.randomElement(using: &generator)
        return position.map { plain.sections[section].rowIDs.remove(at: $0) }
    }
}

extension EditedPlainIndex {
    /// Returns the edit from `old` to `new`, in which most rows that keep their section and order stay.
    static func edit(from old: PlainIndex, to new: PlainIndex) -> SectionIndexEdit {
        var edit = SectionIndexEdit()
        let oldIdentities = old.sections.map(\.identity)
        let newIdentities = new.sections.map(\.identity)
        edit.removedSections = oldIdentities.indices.filter { !newIdentities.contains(oldIdentities[$0]) }
        for (position, section) in new.sections.enumerated() {
            let value = SectionIndexEdit.Section(
                position: position, identity: section.identity, name: section.name, indexTitle: section.title)
            guard let earlier = old.sections.first(where: { $0.identity == section.identity }) else {
                edit.insertedSections.append(value)
                continue
            }
            // Compares bytes, because the composed and the decomposed form of “Å” are equal strings.
            if !earlier.name.utf8.elementsEqual(section.name.utf8)
                || !earlier.title.utf8.elementsEqual(section.title.utf8)
            {
                edit.renamedSections.append(value)
            }
        }
        let oldRows = rows(old)
        let newRows = rows(new)
        let newPositions = Dictionary(uniqueKeysWithValues: newRows.enumerated().map { ($1.id, $0) })
        // A row stays if its section stays and its new position is after those of all earlier staying rows.
        var staying: Set<Int64> = []
        var last = -1
        for row in oldRows {
            guard let position = newPositions[row.id], position > last,
                newRows[position].identity == row.identity
            else { continue }
            // Some rows that could stay are removed and inserted again.
            if row.id % 97 == 0 { continue }
            staying.insert(row.id)
            last = position
        }
        edit.removedRows = oldRows.indices.filter { !staying.contains(oldRows[$0].id) }
        for (position, row) in newRows.enumerated() where !staying.contains(row.id) {
            edit.insertedRows.append(.init(id: row.id, position: position, section: row.section))
        }
        return edit
    }

    private static func rows(_ plain: PlainIndex) -> [(id: Int64, section: Int, identity: [UInt8])] {
        plain.sections.enumerated().flatMap { number, section in
            section.rowIDs.map { ($0, number, section.identity) }
        }
    }
}
