import Testing

@testable import TerminalTable

/// The index titles at the side of a list.
@Suite struct IndexBarTests {
    private let bar = IndexBar(titlesOfSections: ["A", "A", "É", "", "E", "Z"])

    @Test func `each title appears once and leads to its first section`() {
        #expect(bar.titles == ["A", "É", "E", "Z"])
        #expect(bar.section(titled: "A") == 0)
        #expect(bar.section(titled: "z") == 5)
        #expect(bar.section(titled: "e") == 4)
        #expect(bar.section(titled: "é") == 2)
        #expect(bar.section(titled: "Q") == nil)
        #expect(IndexBar(titlesOfSections: ["Ö"]).section(titled: "o") == 0)
    }

    @Test(arguments: [(0, "A"), (1, "A"), (2, "É"), (3, "É"), (4, "E"), (5, "Z")])
    func `the title of the section at the top is marked`(section: Int, title: String) {
        let marked = bar.entries(height: 9, currentSection: section).filter(\.isCurrent)
        #expect(marked.map(\.title) == [title])
    }

    @Test func `titles that do not all fit are reduced to some from the first to the last`() {
        let letters = (0..<26).map { String(Character(Unicode.Scalar(UInt8(65 + $0)))) }
        let bar = IndexBar(titlesOfSections: letters)
        for height in 1...26 {
            for section in 0..<26 {
                let entries = bar.entries(height: height, currentSection: section)
                #expect(entries.count == height)
                #expect(entries.first?.title == "A")
                #expect(height == 1 || entries.last?.title == "Z")
                #expect(entries.map(\.title) == entries.map(\.title).sorted())
                #expect(entries.count { $0.isCurrent } == 1)
                let current = entries.first { $0.isCurrent }
                #expect(current.map { $0.title <= letters[section] } == true)
            }
        }
        #expect(IndexBar(titlesOfSections: [""]).entries(height: 5, currentSection: 0).isEmpty)
    }
}
