/// The sections of an edited index: the positions of their first rows, and for each the source of its texts.
///
/// Texts that no edit changed stay in the index that was edited first, and are not decoded; so the cost of an
/// edit is two flat arrays, independent of the names.
struct EditedSections: Sendable {
    private enum Base: Sendable {
        case memory([SectionIndex.Section])
        case cache(SectionDirectory)
    }

    private let base: Base
    /// The position of the first row of each section.
    private var starts: [Int]
    /// For each section its position in `base`, or the complement of its position in `named`.
    private var sources: [Int32]
    /// The sections that edits inserted or renamed.
    private var named: [SectionIndexEdit.Section] = []

    /// Creates the sections of an index in memory.
    init(_ sections: [SectionIndex.Section]) {
        base = .memory(sections)
        starts = sections.map(\.rows.lowerBound)
        sources = Array(0..<Int32(sections.count))
    }

    /// Creates the sections of an entry.
    init(_ directory: SectionDirectory) {
        base = .cache(directory)
        starts = (0..<directory.numberOfSections).map(directory.firstRow(ofSection:))
        sources = Array(0..<Int32(directory.numberOfSections))
    }

    /// The number of sections.
    var count: Int { starts.count }

    /// Returns the position of the first row of a section.
    func firstRow(of position: Int) -> Int { starts[position] }

    /// Returns the texts of a section.
    func texts(of position: Int) -> SectionTexts {
        let source = Int(sources[position])
        if source < 0 {
            let section = named[~source]
            return SectionTexts(
                identity: section.identity, name: section.name, indexTitle: section.indexTitle)
        }
        switch base {
        case .memory(let sections):
            let section = sections[source]
            return SectionTexts(
                identity: section.identity, name: section.name, indexTitle: section.indexTitle)
        case .cache(let directory): return directory.texts(ofSection: source)
        }
    }

    /// Returns the position of the section with an identity, or nil.
    ///
    /// - Complexity: O(*s*) in the number of sections, of which no name is decoded.
    func firstPosition(identity: [UInt8]) -> Int? {
        sources.firstIndex { source in
            if source < 0 { return named[~Int(source)].identity == identity }
            switch base {
            case .memory(let sections): return sections[Int(source)].identity == identity
            case .cache(let directory): return directory.hasIdentity(identity, section: Int(source))
            }
        }
    }
}

extension EditedSections {
    /// Applies an edit.
    ///
    /// - Parameter numberOfRows: The number of rows before the edit.
    /// - Complexity: O(*s* + *k*) in the number of sections and of changes.
    func applying(_ edit: SectionIndexEdit, numberOfRows: Int) -> EditedSections {
        var result = self
        if edit.removedSections.isEmpty, edit.insertedSections.isEmpty {
            result.shift(edit, numberOfRows: numberOfRows)
        } else {
            result.arrange(edit, numberOfRows: numberOfRows)
        }
        for section in edit.renamedSections { result.sources[section.position] = result.add(section) }
        result.forgetUnused()
        return result
    }

    /// Shifts the first rows if no section is removed or inserted.
    private mutating func shift(_ edit: SectionIndexEdit, numberOfRows: Int) {
        var removed = 0
        var inserted = 0
        starts.withUnsafeMutableBufferPointer { starts in
            for position in starts.indices {
                let end = position + 1 < starts.count ? starts[position + 1] : numberOfRows
                let first = starts[position] - removed + inserted
                starts[position] = first
                while removed < edit.removedRows.count, edit.removedRows[removed] < end { removed += 1 }
                while inserted < edit.insertedRows.count, edit.insertedRows[inserted].section == position {
                    inserted += 1
                }
            }
        }
        check(edit, removed: removed, inserted: inserted, numberOfRows: numberOfRows)
    }

    /// Arranges the remaining and the inserted sections in their new order.
    private mutating func arrange(_ edit: SectionIndexEdit, numberOfRows: Int) {
        let old = (starts: starts, sources: sources)
        let newCount = old.starts.count - edit.removedSections.count + edit.insertedSections.count
        precondition(newCount >= 0, "The edit removes more sections than the index has.")
        starts = []
        starts.reserveCapacity(newCount)
        sources = []
        sources.reserveCapacity(newCount)
        var next = 0
        var row = 0
        var removed = 0
        var inserted = 0
        var removedSections = edit.removedSections[...]
        var insertedSections = edit.insertedSections[...]
        /// Returns the number of remaining rows of the next old section.
        func takeRows() -> Int {
            let end = next + 1 < old.starts.count ? old.starts[next + 1] : numberOfRows
            var count = end - old.starts[next]
            while removed < edit.removedRows.count, edit.removedRows[removed] < end {
                removed += 1
                count -= 1
            }
            next += 1
            return count
        }
        func passOverRemoved() {
            while removedSections.first == next {
                let rest = takeRows()
                precondition(rest == 0, "The edit removes section \(next - 1) but not \(rest) of its rows.")
                removedSections.removeFirst()
            }
        }
        for position in 0..<newCount {
            starts.append(row)
            if let section = insertedSections.first, section.position == position {
                sources.append(add(section))
                insertedSections.removeFirst()
            } else {
                passOverRemoved()
                precondition(next < old.starts.count, "The edit inserts sections after the last.")
                sources.append(old.sources[next])
                row += takeRows()
            }
            while inserted < edit.insertedRows.count, edit.insertedRows[inserted].section == position {
                inserted += 1
                row += 1
            }
        }
        passOverRemoved()
        precondition(
            next == old.starts.count && removedSections.isEmpty && insertedSections.isEmpty,
            "The sections of an edit are not in ascending order, or do not exist.")
        check(edit, removed: removed, inserted: inserted, numberOfRows: numberOfRows)
    }

    /// Checks that each inserted row is at a position of its section.
    private func check(_ edit: SectionIndexEdit, removed: Int, inserted: Int, numberOfRows: Int) {
        precondition(
            removed == edit.removedRows.count && inserted == edit.insertedRows.count,
            "The rows of an edit are not in ascending order, or not in its sections.")
        let end = numberOfRows - removed + inserted
        for row in edit.insertedRows {
            let rows = starts[row.section]..<(row.section + 1 < count ? starts[row.section + 1] : end)
            precondition(rows.contains(row.position), "Row \(row) is outside its section's rows \(rows).")
        }
    }

    private mutating func add(_ section: SectionIndexEdit.Section) -> Int32 {
        named.append(section)
        return ~Int32(named.count - 1)
    }

    /// Drops the texts of sections that were removed or renamed again, once they outnumber the sections.
    private mutating func forgetUnused() {
        guard named.count > 64 + 2 * count else { return }
        let old = named
        named = []
        for position in sources.indices where sources[position] < 0 {
            sources[position] = add(old[~Int(sources[position])])
        }
    }
}
