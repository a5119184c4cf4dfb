/// Which part of a table is on the screen, and which row is chosen.
///
/// The first line is the header of the section that the topmost row is in: it stays there while the rows go
/// by. Below are rows, and before the first row of each further section its header.
package struct Viewport: Sendable {
    /// What stands on a line.
    package enum Line: Hashable, Sendable {
        /// The header of a section.
        case header(section: Int)
        /// A row.
        case row(RowPath)
    }

    /// The lines of the screen that the table has.
    package private(set) var height: Int
    /// The number of the topmost row.
    package private(set) var top = 0
    /// The number of the chosen row.
    package private(set) var chosen = 0
    private var starts: RowStarts
    private let hasHeaders: Bool

    /// Shows the beginning of a table.
    package init(height: Int, counts: some Sequence<Int>, hasHeaders: Bool) {
        self.height = max(1, height)
        self.hasHeaders = hasHeaders
        starts = RowStarts(counts: counts)
    }

    /// How many rows the table has.
    package var numberOfRows: Int { starts.count }

    /// The path of the chosen row; nil in an empty table.
    package var chosenPath: RowPath? { starts.count > 0 ? starts.path(of: chosen) : nil }

    /// The number of the row at a path, or of where it would be.
    package func number(of path: RowPath) -> Int { starts.number(of: path) }

    /// The section whose header is the first line; nil in an empty table.
    package var topSection: Int? { starts.count > 0 ? starts.path(of: top).section : nil }

    /// How many rows fit where no section begins.
    package var rowsOfPage: Int { max(1, height - (hasHeaders ? 1 : 0)) }

    /// What is on the screen, from the top.
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

    /// Takes another height, and keeps the chosen row on the screen.
    package mutating func resize(height: Int) {
        self.height = max(1, height)
        settle()
        showChosen()
    }

    /// Chooses the row so many below, or above for a negative number, as far as there are rows.
    package mutating func move(by rows: Int) { choose(chosen + rows) }

    /// Chooses a row and scrolls as little as shows it.
    package mutating func choose(_ number: Int) {
        chosen = max(0, min(number, starts.count - 1))
        showChosen()
    }

    /// Chooses the row at a path.
    package mutating func choose(_ path: RowPath) { choose(starts.number(of: path)) }

    /// Chooses the first row of a section and has it at the top, as far as the end of the table allows.
    package mutating func jump(toSection section: Int) {
        chosen = min(starts.number(of: RowPath(section: section, row: 0)), max(0, starts.count - 1))
        top = chosen
        settle()
    }

    /// Takes over new counts. The row that was the topmost one stays it, whatever came or went above; but who
    /// is at the very beginning of the table stays there, to see what comes first. The chosen row stays
    /// chosen, if it is still on the screen.
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

    /// Keeps top and choice inside of the table, and its end at the bottom of the screen.
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

    /// The smallest number of a topmost row with which another row is still on the screen.
    ///
    /// - Complexity: O(height × log *s*).
    private func topmost(showing number: Int) -> Int {
        guard starts.count > 0 else { return 0 }
        var first = number
        var used = hasHeaders ? 2 : 1
        while first > 0 {
            // One more row above, and the header of this one's section, which is then no longer the first
            // line.
            used += 1 + (hasHeaders && starts.path(of: first).row == 0 ? 1 : 0)
            guard used <= height else { break }
            first -= 1
        }
        return first
    }
}
