import Foundation
import SectionCaching
import CheckSupport
import Testing

/// An index of plain arrays, with which tests compare the indexes of the library.
struct PlainIndex: Equatable, Sendable {
    struct Section: Equatable, Sendable {
        var identity: [UInt8]
        var name: String
        var title: String
        var rowIDs: [Int64]
    }

    var sections: [Section]
    var rowIDs: [Int64] { sections.flatMap(\.rowIDs) }

    func build() -> SectionIndex {
        var builder = SectionIndex.Builder()
        for section in sections {
            builder.beginSection(identity: section.identity, name: section.name, indexTitle: section.title)
            for rowID in section.rowIDs { builder.append(rowID) }
        }
        return builder.finish()
    }

    static let names = [
        "", "A", "Ångström", "A\u{30A}ngstro\u{308}m", "Ωμέγα", "Ёлка", "שלום", "مرحبا", "नमस्ते", "こんにちは", "漢字",
        "한국어",
        "ไทย", "👩‍👩‍👧‍👦", "🇨🇭", "nil", "null", " ", "a\u{0}b", "\n", "../..", "%@",
        String(repeating: "long ", count: 400),
    ]

    /// Returns an index of random sections with repeated names.
    static func random(rows: Int, sections: Int, ids: Identifiers, using generator: inout SeededGenerator)
        -> PlainIndex
    {
        var cuts = (0..<max(0, sections - 1)).map { _ in Int.random(in: 0...rows, using: &generator) }
            .sorted()
        cuts = sections > 0 ? [0] + cuts + [rows] : []
        let all = ids.make(rows, using: &generator)
        return PlainIndex(
            sections: (0..<sections).map { number in
                let name = names.randomElement(using: &generator) ?? ""
                return Section(
                    identity: Array("\(number)/".utf8) + generator.bytes(number % 5), name: name,
                    title: String(name.prefix(1)), rowIDs: Array(all[cuts[number]..<cuts[number + 1]]))
            })
    }

    enum Identifiers: CaseIterable, Sendable {
        case dense, sparse, extreme, same

        func make(_ count: Int, using generator: inout SeededGenerator) -> [Int64] {
            switch self {
            case .dense: return (0..<Int64(count)).shuffled(using: &generator)
            case .sparse: return (0..<count).map { _ in Int64.random(in: 1...5_000_000, using: &generator) }
            case .extreme:
                let edges: [Int64] = [.min, .max, 0, -1, 1, .min + 1, .max - 1]
                return (0..<count).map {
                    $0 % 3 == 0
                        ? edges[$0 % edges.count] : Int64.random(in: .min ... .max, using: &generator)
                }
            case .same: return Array(repeating: -7, count: count)
            }
        }
    }
}

/// Compares all values of an index with plain arrays, except for lost rows if `mayBeLost`.
func expectSame(
    _ index: SectionIndex, _ plain: PlainIndex, mayBeLost: Bool = false,
    using generator: inout SeededGenerator,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let rowIDs = plain.rowIDs
    #expect(index.numberOfRows == rowIDs.count, sourceLocation: sourceLocation)
    #expect(index.numberOfSections == plain.sections.count, sourceLocation: sourceLocation)
    guard index.numberOfRows == rowIDs.count, index.numberOfSections == plain.sections.count else { return }
    var first = 0
    for (position, expected) in plain.sections.enumerated() {
        let section = index.section(at: position)
        let rows = first..<first + expected.rowIDs.count
        if section.identity != expected.identity || !section.name.utf8.elementsEqual(expected.name.utf8)
            || !section.indexTitle.utf8.elementsEqual(expected.title.utf8) || section.rows != rows
        {
            Issue.record("section \(position): \(section)", sourceLocation: sourceLocation)
        }
        first = rows.upperBound
    }
    var ranges = [0..<rowIDs.count, rowIDs.count..<rowIDs.count]
    for _ in 0..<4 {
        let low = Int.random(in: 0...rowIDs.count, using: &generator)
        ranges.append(low..<Int.random(in: low...min(rowIDs.count, low + 100), using: &generator))
    }
    for rows in ranges {
        let found = index.rowIDs(in: rows)
        if found == nil, mayBeLost { continue }
        #expect(found == Array(rowIDs[rows]), sourceLocation: sourceLocation)
    }
    for _ in 0..<4 where !rowIDs.isEmpty {
        let row = Int.random(in: 0..<rowIDs.count, using: &generator)
        var end = 0
        // The section of a row is the first one that ends after it.
        let expected = plain.sections.firstIndex {
            end += $0.rowIDs.count
            return end > row
        }
        #expect(index.sectionPosition(containing: row) == expected, sourceLocation: sourceLocation)
    }
}
