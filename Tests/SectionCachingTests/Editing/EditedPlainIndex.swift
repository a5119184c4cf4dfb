import SectionCaching
import CheckSupport

/// An index of plain arrays and what random changes make of it, with the edit that says the same.
///
/// The arrays are changed one row at a time. The edit is worked out from the arrays before and after, by
/// comparing them, and not from the changes.
struct EditedPlainIndex {
    private(set) var plain: PlainIndex
    private var nextID: Int64
    private var nextSection = 0
    /// IDs that were passed over, and come later than larger ones.
    private var skippedIDs: [Int64] = []

    init(_ plain: PlainIndex) {
        self.plain = plain
        nextID = (plain.rowIDs.max() ?? 0) &+ 1
    }

    /// Changes the arrays.
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
        // New objects that were not saved have keys near the smallest number.
        let isUnsaved = Int.random(in: 0..<8, using: &generator) == 0
        let id = newID(using: &generator)
        place(isUnsaved ? .min + id : id, in: section, using: &generator)
    }

    /// The next ID, one far ahead of it, or one that was passed over.
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
        // Often at an end, where chunks meet.
        let position = [0, count, Int.random(in: 0...count, using: &generator)]
        plain.sections[section].rowIDs.insert(id, at: position.randomElement(using: &generator) ?? 0)
    }

    private mutating func remove(_ section: Int, using generator: inout SeededGenerator) -> Int64? {
        let position = plain.sections[section].rowIDs.indices.randomElement(using: &generator)
        return position.map { plain.sections[section].rowIDs.remove(at: $0) }
    }
}

extension EditedPlainIndex {
    /// The edit from some sections to others: of the rows of both, as many stay as stay in the order that
    /// they have.
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
            // By their bytes: two spellings of “Å” are equal texts.
            if !earlier.name.utf8.elementsEqual(section.name.utf8)
                || !earlier.title.utf8.elementsEqual(section.title.utf8)
            {
                edit.renamedSections.append(value)
            }
        }
        let oldPlaces = places(old)
        let newPlaces = places(new)
        let newPositions = Dictionary(uniqueKeysWithValues: newPlaces.enumerated().map { ($1.id, $0) })
        // A row stays if its section does and it comes behind all that stay before it.
        var staying: Set<Int64> = []
        var last = -1
        for place in oldPlaces {
            guard let position = newPositions[place.id], position > last,
                newPlaces[position].identity == place.identity
            else { continue }
            // Now and then one that could stay goes and comes.
            if place.id % 97 == 0 { continue }
            staying.insert(place.id)
            last = position
        }
        edit.removedRows = oldPlaces.indices.filter { !staying.contains(oldPlaces[$0].id) }
        for (position, place) in newPlaces.enumerated() where !staying.contains(place.id) {
            edit.insertedRows.append(.init(id: place.id, position: position, section: place.section))
        }
        return edit
    }

    private static func places(_ plain: PlainIndex) -> [(id: Int64, section: Int, identity: [UInt8])] {
        plain.sections.enumerated().flatMap { number, section in
            section.rowIDs.map { ($0, number, section.identity) }
        }
    }
}
