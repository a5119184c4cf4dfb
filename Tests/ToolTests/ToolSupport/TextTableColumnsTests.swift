import Testing
import ToolSupport

/// Tables whose columns do not all fit a line.
@Suite struct TextTableColumnsTests {
    @Test func `as many columns are shown as fit when all are narrowed, and at least one`() {
        var table = TextTable(alignments: [.left, .right, .left, .left])
        table.measure([["a long title of a book", "1925", "x", "another long text"]])
        #expect(table.columns(from: 0, maximumWidth: 80, minimumWidth: 10) == 0..<4)
        #expect(table.columns(from: 0, maximumWidth: 20, minimumWidth: 10) == 0..<3)
        #expect(table.columns(from: 0, maximumWidth: 10 + 2 + 4, minimumWidth: 10) == 0..<2)
        #expect(table.columns(from: 0, maximumWidth: 10 + 2 + 3, minimumWidth: 10) == 0..<1)
        #expect(table.columns(from: 0, maximumWidth: 1, minimumWidth: 10) == 0..<1)
        #expect(table.columns(from: 3, maximumWidth: 30, minimumWidth: 10) == 3..<4)
        #expect(table.columns(from: 4, maximumWidth: 30, minimumWidth: 10).isEmpty)
    }

    @Test func `the lines of some columns keep their alignment, and fit`() {
        var table = TextTable(alignments: [.left, .right, .left])
        let rows = [["first", "1", "aa"], ["second", "100", "b"]]
        #expect(table.lines(rows, columns: 1..<3, maximumWidth: 80) == ["  1  aa", "100  b"])
        #expect(table.lines(rows, columns: 0..<1, maximumWidth: 3) == ["fi…", "se…"])
    }
}
