import CheckSupport
import Testing

@testable import TerminalTable

/// The rows on the screen.
@Suite struct ViewportTests {
    /// Returns the lines as text: `[1]` for a header, `1-7` for a row.
    private func text(_ viewport: Viewport) -> [String] {
        viewport.lines.map { line in
            switch line {
            case .header(let section): "[\(section)]"
            case .row(let path): "\(path)"
            }
        }
    }

    @Test func `the first line is the header of the section at the top, at every scroll position`() {
        var viewport = Viewport(height: 4, counts: [2, 1, 3], hasHeaders: true)
        #expect(text(viewport) == ["[0]", "0-0", "0-1", "[1]"])
        viewport.move(by: 2)
        #expect(text(viewport) == ["[0]", "0-1", "[1]", "1-0"])
        viewport.move(by: 1)
        #expect(text(viewport) == ["[1]", "1-0", "[2]", "2-0"])
        viewport.choose(.max)
        #expect(text(viewport) == ["[2]", "2-0", "2-1", "2-2"])
        viewport.move(by: -1)
        #expect(text(viewport) == ["[2]", "2-0", "2-1", "2-2"])
        #expect(viewport.chosenPath == RowPath(section: 2, row: 1))
        viewport.choose(0)
        #expect(text(viewport) == ["[0]", "0-0", "0-1", "[1]"])
    }

    @Test func `without headers all lines are rows`() {
        var viewport = Viewport(height: 3, counts: [5], hasHeaders: false)
        #expect(text(viewport) == ["0-0", "0-1", "0-2"])
        viewport.move(by: viewport.rowsOfPage)
        #expect(text(viewport) == ["0-1", "0-2", "0-3"])
    }

    @Test func `an empty table has no lines and nothing to choose`() {
        var viewport = Viewport(height: 3, counts: [], hasHeaders: true)
        viewport.move(by: 1)
        viewport.choose(.max)
        viewport.resize(height: 9)
        #expect(viewport.lines.isEmpty)
        #expect(viewport.chosenPath == nil)
        #expect(Viewport(height: 3, counts: [0], hasHeaders: false).lines.isEmpty)
    }

    @Test func `a jump moves the section to the top, as far as the end of the table allows`() {
        var viewport = Viewport(height: 4, counts: [4, 4, 1], hasHeaders: true)
        viewport.jump(toSection: 1)
        #expect(text(viewport) == ["[1]", "1-0", "1-1", "1-2"])
        viewport.jump(toSection: 2)
        #expect(text(viewport) == ["[1]", "1-3", "[2]", "2-0"])
        #expect(viewport.chosenPath == RowPath(section: 2, row: 0))
    }

    @Test func `insertions above the screen do not move the rows on it`() throws {
        var model = TableModel<Never>(sections: [TableSection(title: "", numberOfRows: 100)])
        var viewport = Viewport(height: 10, counts: [100], hasHeaders: true)
        viewport.choose(57)
        let top = viewport.top
        model.beginUpdates()
        model.insertSection(at: 0, title: "new")
        for row in 0..<5 { model.insertRow(at: RowPath(section: 1, row: row)) }
        model.deleteRow(at: RowPath(section: 0, row: 3))
        let mapping = try model.endUpdates(newCounts: [20, 104])
        viewport.update(counts: [20, 104], mapping)
        #expect(viewport.top == top + 24)
        #expect(viewport.chosenPath == RowPath(section: 1, row: 61))
        // The row at the top is deleted, and the next one moves up.
        model.beginUpdates()
        model.deleteRow(at: RowPath(section: 1, row: top + 4))
        let next = try model.endUpdates(newCounts: [20, 103])
        viewport.update(counts: [20, 103], next)
        #expect(viewport.top == top + 24)
        model.beginUpdates()
        model.deleteSection(at: 0)
        model.deleteSection(at: 1)
        let nothing = try model.endUpdates(newCounts: [])
        viewport.update(counts: [], nothing)
        #expect(viewport.lines.isEmpty)
    }

    @Test func `a viewport at the beginning stays there and shows rows that are inserted first`() throws {
        var model = TableModel<Never>(sections: [TableSection(title: "", numberOfRows: 9)])
        var viewport = Viewport(height: 4, counts: [9], hasHeaders: false)
        viewport.choose(1)
        model.beginUpdates()
        model.insertRow(at: RowPath(section: 0, row: 0))
        viewport.update(counts: [10], try model.endUpdates(newCounts: [10]))
        #expect(viewport.top == 0)
        #expect(viewport.chosenPath == RowPath(section: 0, row: 2))
    }

    @Test func `the chosen row is on the screen and the screen is full after any changes`() {
        let seed = SeededGenerator.newSeed("viewport")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let counts = (0..<Int.random(in: 1..<8, using: &generator)).map { _ in
                Int.random(in: 1..<6, using: &generator)
            }
            let hasHeaders = Bool.random(using: &generator)
            var viewport = Viewport(
                height: .random(in: 2..<12, using: &generator), counts: counts, hasHeaders: hasHeaders)
            for _ in 0..<20 {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: viewport.move(by: .random(in: -9..<9, using: &generator))
                case 1: viewport.resize(height: .random(in: 2..<12, using: &generator))
                default: viewport.jump(toSection: .random(in: 0..<counts.count, using: &generator))
                }
                let lines = viewport.lines
                #expect(lines.contains(.row(viewport.chosenPath!)), "seed \(seed)")
                #expect(lines.count <= viewport.height, "seed \(seed)")
                // All lines of the table, one after the other, with the header of the first at the top.
                let all: [Viewport.Line] = counts.enumerated().flatMap { section, count in
                    (hasHeaders ? [.header(section: section)] : [])
                        + (0..<count).map { .row(RowPath(section: section, row: $0)) }
                }
                let rows = lines.dropFirst(hasHeaders ? 1 : 0)
                let start = all.firstIndex(of: rows.first!)!
                #expect(Array(all[start...].prefix(rows.count)) == Array(rows), "seed \(seed)")
                #expect(lines.count >= min(viewport.height, all.count) - 1, "seed \(seed)")
            }
        }
    }
}
