import SectionedFetch
import TerminalTable
import ToolSupport

extension LiveBrowser {
    /// The number of lines below the table.
    static let statusHeight = 2
    /// The width beyond which a value is shortened, in columns.
    private static let maximumCellWidth = 48
    private static let indentation = "  "
    /// The width to which a column is narrowed before the last columns are hidden.
    private static let minimumCellWidth = 16
    /// The mark of the chosen row, which a terminal without reversed text shows as well.
    static let cursor = "> "
    /// The width of the index bar with a space before it, in columns.
    private static let indexBarWidth = 3

    /// Returns an empty layout of columns, whose widths grow with the shown rows.
    static func layout(of columns: [Column]) -> TextTable {
        TextTable(alignments: columns.map(\.alignment), maximumCellWidth: maximumCellWidth)
    }

    /// Draws the current state on the screen.
    func draw() throws(ToolFailure) {
        let tableHeight = max(1, terminal.height - Self.statusHeight)
        var lines = mode == .page ? pageLines(height: tableHeight) : tableLines
        lines = Array(lines.prefix(tableHeight))
        lines += Array(repeating: "", count: max(0, tableHeight - lines.count))
        if mode != .page {
            let bar = indexBarTitles(height: tableHeight - titleHeight)
            for (line, title) in bar.enumerated() {
                lines[line + titleHeight] += LiveTerminal.column(terminal.width - 1) + title
            }
        }
        lines.append(LiveTerminal.reversed(TerminalText.padded(cut(statusText), to: terminal.width)))
        lines.append(cut(lastLine))
        try terminal.show(lines)
        table.dropHiddenCells()
    }

    /// The height of the column titles above the table, which a low terminal does not show.
    var titleHeight: Int { terminal.height >= 5 && !table.columns.isEmpty ? 1 : 0 }

    /// Returns a text that fits the terminal; a longer one ends with the key that shows the rest.
    private func cut(_ text: String) -> String {
        let hint = "… s: all"
        guard TerminalText.width(of: text) > terminal.width, terminal.width > 2 * hint.count else {
            return TerminalText.shortened(text, to: terminal.width)
        }
        var head = TerminalText.shortened(text, to: terminal.width - hint.count + 1)
        if head.hasSuffix("…") { head.removeLast() }
        return head + hint
    }

    private var bodyWidth: Int {
        max(1, terminal.width - (table.indexBar.titles.isEmpty ? 0 : Self.indexBarWidth))
    }

    private var tableLines: [String] {
        let lines = table.viewport.lines
        let paths = lines.compactMap { if case .row(let path) = $0 { path } else { nil } }
        let titles = table.columns.map(\.property.path)
        let cells = [titles] + paths.map(table.cells)
        layout.measure(cells)
        let width = max(1, bodyWidth - Self.indentation.count)
        let shown = layout.columns(
            from: min(firstColumn, max(0, titles.count - 1)), maximumWidth: width,
            minimumWidth: Self.minimumCellWidth)
        let rows = layout.lines(cells, columns: shown, maximumWidth: width)
        let texts = Dictionary(uniqueKeysWithValues: zip(paths, rows.dropFirst()))
        let chosen = table.viewport.chosenPath
        return titleLine(rows.first ?? "", shown)
            + lines.map { line in
                switch line {
                case .header(let section): header(section)
                case .row(let path):
                    path == chosen
                        ? LiveTerminal.reversed(
                            TerminalText.fitted(Self.cursor + (texts[path] ?? ""), to: bodyWidth))
                        : Self.indentation + (texts[path] ?? "")
                }
            }
    }

    /// The titles of the columns, with marks for hidden columns at both sides.
    private func titleLine(_ titles: String, _ shown: Range<Int>) -> [String] {
        guard titleHeight > 0 else { return [] }
        let start = shown.lowerBound > 0 ? "‹ " : Self.indentation
        let isCut = shown.upperBound < table.columns.count
        let line = isCut ? TerminalText.fitted(start + titles, to: bodyWidth - 2) + " ›" : start + titles
        return [LiveTerminal.bold(TerminalText.shortened(line, to: bodyWidth))]
    }

    private func header(_ position: Int) -> String {
        let section = table.model.sections[position]
        let name = TerminalText.escaped(table.shownTitle(ofSection: position, of: list))
        let count = Quantity.count(section.numberOfRows)
        let width = max(1, bodyWidth - count.count - 2)
        return LiveTerminal.bold(TerminalText.shortened(name, to: width)) + "  " + count
    }

    private func indexBarTitles(height: Int) -> [String] {
        let entries = table.indexBar.entries(
            height: height, currentSection: table.viewport.topSection)
        return entries.map { entry in
            let title = TerminalText.fitted(TerminalText.escaped(entry.title), to: Self.indexBarWidth - 1)
            return entry.isCurrent ? LiveTerminal.reversed(title) : title
        }
    }
}

extension LiveBrowser {
    var statusText: String {
        var parts = [Quantity.count(table.viewport.numberOfRows, "row")]
        if list.sectionKey != nil { parts.append(Quantity.count(table.numberOfSections, "section")) }
        if table.isNested { parts.append(Quantity.count(table.model.sections.count, "subsection")) }
        parts.append(table.lookupAtStart.map { $0.isHit ? "cache hit" : "cache miss" } ?? "no cache")
        parts.append(Quantity.count(table.numberOfBatches, "batch", "batches"))
        if let batch = table.lastBatch, let merge = lastMergeDuration {
            parts.append(
                "found in \(Quantity.duration(merge - batch.duration)), applied in \(Quantity.duration(batch.duration))"
            )
        }
        return " " + parts.joined(separator: " · ")
    }

    /// The cache look-up of the first fetch, with the reason of a miss; nil without a cache.
    var cacheText: String? {
        guard let lookup = table.lookupAtStart, let name = table.controller.cacheName else { return nil }
        return TerminalText.escaped("Cache “\(name.rawValue)” at the start: \(lookup.description)")
    }

    /// The text of the last line: a prompt, a message, a failure, or the last change.
    var lastLine: String {
        switch mode {
        case .searching:
            guard let search, !search.text.isEmpty else { return "/_" }
            let found = search.isStale ? "…" : "\(Quantity.count(search.matches.count)) found"
            return "/\(TerminalText.escaped(search.text))_  \(found)"
        case .jumping: return "Go to the index title: _"
        case .page: return message ?? pageHint
        case .list: break
        }
        return message ?? reportText
    }

    /// The failure to follow changes, or the last change.
    var reportText: String {
        if let fileFailure { return "Changes cannot be followed: \(TerminalText.escaped(fileFailure))" }
        // The file watch reports a store that was replaced, and notices that its file is back.
        if let failure = [watchFailure, table.failure].lazy.compactMap(\.self)
            .first(where: { $0.code != .storeReplaced })
        {
            let failure = table.controller.managedObjectContext.container.explained(failure)
            return "Changes cannot be followed: \(TerminalText.escaped(failure.messageWithOption))"
        }
        return table.lastBatch.map { "Last change: \($0.summary)" } ?? "? shows the keys, q ends."
    }
}
