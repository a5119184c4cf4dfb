package import Foundation
package import SectionedFetch

/// Nested sections, of which the table has the subsections in one sequence.
extension TableModel {
    /// Records all events of a change of nested sections, in the form for table views. Reads the sections of
    /// the new state only for a reload.
    ///
    /// Call it between ``beginUpdates()`` and ``endUpdates(newCounts:)``.
    ///
    /// - Complexity: O(*s* + *n*) in the numbers of subsections and events.
    package mutating func recordNested(
        _ change: ResultsChange, newSections: () -> [TableSection]
    ) {
        guard !change.isReload else {
            for position in sections.indices.reversed() { deleteSection(at: position) }
            for (position, section) in newSections().enumerated() {
                insertSection(at: position, title: section.title, group: section.group)
            }
            return
        }
        FlattenedChange(change.forTableViews, of: sections).record(in: &self)
    }

    /// Returns the path of a row of nested sections: section, subsection and row.
    ///
    /// - Complexity: O(*s*) in the number of subsections.
    package func nestedPath(of path: RowPath) -> IndexPath {
        var (section, subsection) = (0, 0)
        for position in sections.indices.dropFirst().prefix(path.section) {
            let isSame = sections[position].group?.identity == sections[position - 1].group?.identity
            (section, subsection) = isSame ? (section, subsection + 1) : (section + 1, 0)
        }
        return [section, subsection, path.row]
    }
}

extension [TableSection] {
    /// Creates the sections of a table from those of a controller, or from their subsections if sections are
    /// nested.
    package init<Object: ManagedObject>(of sections: SectionList<Object>) {
        self = sections.flatMap { section -> [TableSection] in
            guard let subsections = section.subsections else {
                return [TableSection(title: section.name, numberOfRows: section.numberOfObjects)]
            }
            let group = TableSection.Group(identity: section.identity, title: section.name)
            return subsections.map {
                TableSection(title: $0.name, numberOfRows: $0.numberOfObjects, group: group)
            }
        }
    }
}
