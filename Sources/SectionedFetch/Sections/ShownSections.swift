import Foundation
import InternalUtilities
import ObjectStorage
import SectionCaching

/// The sections that results show: those of an index, or with a key of nested sections the outer ones.
struct ShownSections: Sendable {
    let index: SectionIndex
    /// The key of nested sections; nil for sections of one level.
    private let key: SectionKey?
    /// The dotted key paths by whose values the sections and the subsections are formed; nil for computed
    /// values.
    let keyPath: String?
    let subsectionKeyPath: String?
    private let outline: SectionOutline?

    init(_ index: SectionIndex, _ key: SectionKey?) {
        self.index = index
        self.key = key?.isNested == true ? key : nil
        outline = key?.isNested == true ? SectionOutline(index) : nil
        keyPath = (key?.isNested == true ? key?.parts.first : key)?.path
        subsectionKeyPath = key?.isNested == true ? key?.parts.last?.path : nil
    }

    /// Whether sections have subsections.
    var isNested: Bool { outline != nil }

    /// The number of sections.
    var count: Int { outline?.starts.count ?? index.numberOfSections }

    /// Returns the section at a position.
    func section(at position: Int) -> SectionIndex.Section {
        guard outline != nil else { return index.section(at: position) }
        let first = index.section(at: subsections(of: position).lowerBound)
        let name = NestedName(first.name)?.outer ?? first.name
        return SectionIndex.Section(
            identity: SectionOutline.outerIdentity(of: first.identity), name: name,
            indexTitle: SectionName.indexTitle(of: name, key: key?.parts.first), rows: rows(of: position))
    }

    /// Returns the subsection at a position among all subsections.
    func subsection(at position: Int) -> SectionIndex.Section {
        let section = index.section(at: position)
        let name = NestedName(section.name)?.inner ?? section.name
        return SectionIndex.Section(
            identity: SectionOutline.keys(of: section.identity).inner.sectionIdentity, name: name,
            indexTitle: SectionName.indexTitle(of: name, key: key?.parts.last), rows: section.rows)
    }

    /// Returns the positions of a section's subsections among all subsections.
    func subsections(of position: Int) -> Range<Int> {
        guard let starts = outline?.starts else { return position..<position + 1 }
        let next = position + 1
        return starts[position]..<(next < starts.count ? starts[next] : index.numberOfSections)
    }

    /// Returns the positions of a section's rows.
    func rows(of position: Int) -> Range<Int> {
        guard outline != nil else { return index.rows(ofSection: position) }
        let subsections = subsections(of: position)
        return index.rows(ofSection: subsections.lowerBound)
            .lowerBound..<index.rows(ofSection: subsections.upperBound - 1).upperBound
    }

    /// Returns the position of the section that contains a row.
    func position(containing row: Int) -> Int {
        position(ofSubsection: index.sectionPosition(containing: row))
    }

    /// Returns the position of the section that contains a subsection.
    func position(ofSubsection position: Int) -> Int {
        guard let starts = outline?.starts else { return position }
        return (1..<starts.count).partitioningIndex { starts[$0] > position } - 1
    }

    /// Returns the position of the row at a path among all rows. The path is of a section and a row in it, or
    /// of a section, a subsection and a row. Nil for a path outside the sections.
    func row(at path: IndexPath) -> Int? {
        guard path.count == 2 || path.count == 3 && isNested, (0..<count).contains(path[0]) else {
            return nil
        }
        var rows = rows(of: path[0])
        if path.count == 3 {
            let subsections = subsections(of: path[0])
            guard (0..<subsections.count).contains(path[1]) else { return nil }
            rows = index.rows(ofSection: subsections.lowerBound + path[1])
        }
        let row = path[path.count - 1]
        return (0..<rows.count).contains(row) ? rows.lowerBound + row : nil
    }
}

extension SectionKey {
    /// The dotted key path of a key without a function; nil for other keys.
    fileprivate var path: String? { expression.function == .value ? expression.path : nil }
}
