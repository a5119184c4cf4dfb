/// The part of a table that is on the screen, and the selected row.
///
/// The first line is the header of the topmost row's section and stays there while the rows scroll. The rows
/// follow, and each further section's header precedes its first row.
package struct Viewport: Sendable {
    /// The content of a line.
    package enum Line: Hashable, Sendable {
        /// The header of a section.
        case header(section: Int)
        /// A row.
        case row(RowPath)
    }

    /// The height of the table on the screen, in lines.
    package private(set) var height: Int
    /// The number of the topmost row.
    package private(set) var top = 0
    /// The number of the selected row.
    package private(set) var chosen = 0
    private var starts: RowStarts
    private let hasHeaders: Bool

    /// Creates a viewport at the beginning of a table.
    package init(height: Int, counts: some Sequence<Int>, hasHeaders: Bool) {
        self.height = max(1, height)
        self.hasHeaders = hasHeaders
        starts = RowStarts(counts: counts)
    }

    /// The number of rows in the table.
    package var numberOfRows: Int { starts.count }

    /// The path of the selected row, or nil in an empty table.
    package var chosenPath: RowPath? { starts.count > 0 ? starts.path(of: chosen) : nil }

    /// Returns the number of the row at a path, or the number that a row there would have.
    package func number(of path: RowPath) -> Int { starts.number(of: path) }

    /// Returns the path of a row, or nil for a number outside the table.
    package func path(ofRow number: Int) -> RowPath? {
        (0..<starts.count).contains(number) ? starts.path(of: number) : nil
    }

    /// The section whose header is the first line, or nil in an empty table.
    package var topSection: Int? { starts.count > 0 ? starts.path(of: top).section : nil }

    /// The number of rows that fit the screen if no further section begins on it.
    package var rowsOfPage: Int { max(1, height - (hasHeaders ? 1 : 0)) }

    /// The lines on the screen, from the top.
    ///
    /// - Complexity: O(height × log *s*).
    package var lines: [Line] {
        guard starts.count > 0 else { return [] }
        var lines: [Line] = hasHeaders ? [.header(section: starts.path(of: top).section)] : []
        for number in top..<starts.count {
            let path = starts.path(of: number)
            if hasHeaders, path.row == 0, number > top { lines.append(.header(section: path.section)) }
            if lines.count >= height { break }
            lines.append(.row(path))
            if lines.count >= height { break }
        }
        return lines
    }

    /// Changes the height and keeps the selected row on the screen.
    package mutating func resize(height: Int) {
        self.height = max(1, height)
        settle()
        showChosen()
    }

    /// Moves the selection down by a number of rows, or up by a negative number, within the table.
    package mutating func move(by rows: Int) { choose(chosen + rows) }

    /// Selects a row and scrolls by the smallest distance that shows it.
    package mutating func choose(_ number: Int) {
        chosen = max(0, min(number, starts.count - 1))
        showChosen()
    }

    /// Selects the row at a path.
    package mutating func choose(_ path: RowPath) { choose(starts.number(of: path)) }

    /// Selects the first row of a section and scrolls it to the top, as far as the end of the table allows.
    package mutating func jump(toSection section: Int) {
        chosen = min(starts.number(of: RowPath(section: section, row: 0)), max(0, starts.count - 1))
        top = chosen
        settle()
    }

    /// Updates the counts after a change of the table.
    ///
    /// The topmost row stays topmost, regardless of changes above it. A viewport at the beginning of the
    /// table stays at the beginning instead, so that new first rows appear. The selected row stays selected
    /// if it is still on the screen.
    package mutating func update(counts: some Sequence<Int>, _ mapping: RowMapping) {
        guard starts.count > 0 else {
            starts = RowStarts(counts: counts)
            return settle()
        }
        let oldTop = starts.path(of: top)
        let oldChosen = starts.path(of: chosen)
        starts = RowStarts(counts: counts)
        if top > 0 {
            top = mapping.pathOfRowOrNext(oldTop).map { starts.number(of: $0) } ?? starts.count - 1
        }
        settle()
        let kept = mapping.newPath(of: oldChosen).map { starts.number(of: $0) }
        if let kept, isShown(kept) {
            chosen = kept
        } else if let next = mapping.pathOfRowOrNext(oldChosen) {
            chosen = starts.number(of: next)
        }
        chosen = max(top, min(chosen, lastShown))
    }
}

extension Viewport {
    private var lastShown: Int {
        for case .row(let path) in lines.reversed() { return starts.number(of: path) }
        return top
    }

    private func isShown(_ number: Int) -> Bool { (top...max(top, lastShown)).contains(number) }

    /// Clamps the topmost row and the selection to the table, and keeps the end of the table at the bottom of
    /// the screen.
    private mutating func settle() {
        let last = max(0, starts.count - 1)
        chosen = max(0, min(chosen, last))
        top = max(0, min(top, topmost(showing: last)))
    }

    private mutating func showChosen() {
        guard starts.count > 0 else { return }
        top = min(top, chosen)
        top = max(top, topmost(showing: chosen))
    }

    /// Returns the smallest number of a topmost row for which another row is on the screen.
    ///
    /// - Complexity: O(height × log *s*).
    private func topmost(showing number: Int) -> Int {
        guard starts.count > 0 else { return 0 }
        var first = number
        var used = hasHeaders ? 2 : 1
        while first > 0 {
            // One more row above, and the header of the current row's section if that row is its first: the
            // header is then no longer the first line.
            used += 1 + (hasHeaders && starts.path(of: first).row == 0 ? 1 : 0)
            guard used <= height else { break }
            first -= 1
        }
        return first
    }
}
