import Foundation
import SectionedFetch
import TerminalTable
import ToolSupport

extension LiveTable {
    /// The number of sections, without their subsections.
    ///
    /// - Complexity: O(1); O(*s*) in the number of subsections for nested sections.
    var numberOfSections: Int {
        isNested ? controller.sections?.count ?? 0 : model.sections.count
    }

    /// Returns the displayed title of a section, or of a subsection with its section: `Rock  12 › 1960s`. The
    /// table contains the title, but not whether an empty title represents no value, nor the type of the
    /// key.
    func shownTitle(ofSection position: Int, of list: ListRequest) -> String {
        let section = model.sections[position]
        guard let group = section.group else {
            // Each part of a combined key may have an empty name.
            guard ListRequest.mayShowOtherwise(section.title) || list.groups.count > 1,
                let sections = controller.sections,
                sections.indices.contains(position)
            else { return ValueText.shown(section.title) }
            return list.shownName(of: sections[position], in: controller.managedObjectContext.container)
        }
        let path = model.nestedPath(of: RowPath(section: position, row: 0))
        let container = controller.managedObjectContext.container
        var (outer, inner) = (ValueText.shown(group.title), ValueText.shown(section.title))
        if let sections = controller.sections, sections.indices.contains(path[0]) {
            let shown = sections[path[0]]
            if ListRequest.mayShowOtherwise(group.title) { outer = list.shownName(of: shown, in: container) }
            if ListRequest.mayShowOtherwise(section.title), let subsections = shown.subsections,
                subsections.indices.contains(path[1])
            {
                inner = list.shownName(ofSubsection: subsections[path[1]], in: container)
            }
        }
        let rows = model.sections.lazy.filter { $0.group?.identity == group.identity }.map(\.numberOfRows)
        return "\(outer)  \(Quantity.count(rows.reduce(0, +))) › \(inner)"
    }
}
