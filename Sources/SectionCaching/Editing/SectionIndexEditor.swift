/// Finds rows in an index, and carries edits out on it one after the other.
///
/// The index before an edit stays what it was, also while its cache entry is advanced: what is read from it later is what it held.
/// An editor belongs to whoever made it; the indexes that it gives may go anywhere.
package final class SectionIndexEditor {
    /// The index after all edits.
    package private(set) var index: SectionIndex
    private var positions: [Int64: Int]?

    /// Begins with an index. Reads nothing yet.
    package init(_ index: SectionIndex) { self.index = index }

    /// The positions of rows, nil for those that are not in the index.
    ///
    /// - Returns: Nil if the rows cannot be read from the cache any more.
    package func positions(of rowIDs: [Int64]) -> [Int?]? {
        if positions == nil {
            guard let all = index.rowIDs(in: 0..<index.numberOfRows) else { return nil }
            var positions: [Int64: Int] = [:]
            for (position, id) in all.enumerated() { positions[id] = position }
            self.positions = positions
        }
        return rowIDs.map { positions?[$0] }
    }

    /// Carries an edit out.
    ///
    /// - Returns: Whether the rows could be read; if not, nothing was changed.
    package func apply(_ edit: SectionIndexEdit) -> Bool {
        guard let old = index.rowIDs(in: 0..<index.numberOfRows) else { return false }
        positions = nil
        let removed = Set(edit.removedRows)
        var rows = old.indices.filter { !removed.contains($0) }.map { old[$0] }
        for row in edit.insertedRows { rows.insert(row.id, at: row.position) }
        var sections: [(section: SectionIndex.Section, count: Int)] = []
        let removedSections = Set(edit.removedSections)
        for position in 0..<index.numberOfSections where !removedSections.contains(position) {
            let section = index.section(at: position)
            let count = section.rows.count { !removed.contains($0) }
            sections.append((section, count))
        }
        for section in edit.insertedSections {
            sections.insert((SectionIndex.Section(section), 0), at: section.position)
        }
        for section in edit.renamedSections {
            sections[section.position].section = SectionIndex.Section(section)
        }
        for row in edit.insertedRows { sections[row.section].count += 1 }
        var builder = SectionIndex.Builder()
        var next = 0
        for (section, count) in sections {
            builder.beginSection(
                identity: section.identity, name: section.name, indexTitle: section.indexTitle)
            for _ in 0..<count {
                builder.append(rows[next])
                next += 1
            }
        }
        index = builder.finish()
        return true
    }
}

extension SectionIndex.Section {
    fileprivate init(_ section: SectionIndexEdit.Section) {
        self.init(
            identity: section.identity, name: section.name, indexTitle: section.indexTitle, rows: 0..<0)
    }
}
