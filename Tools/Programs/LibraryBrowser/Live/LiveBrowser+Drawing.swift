import SectionedFetch
import TerminalTable
import ToolSupport

extension LiveBrowser {
    /// The number of lines below the table.
    static let statusHeight = 2
    /// The width beyond which a value is shortened, in columns.
    private static let maximumCellWidth = 48
    private static let indentation = "  "
    /// The width of the index bar with a space before it, in columns.
    private static let indexBarWidth = 3

    /// Returns an empty layout of columns, whose widths grow with the shown rows.
    static func layout(of columns: [Column]) -> TextTable {
        TextTable(alignments: columns.map(\.alignment), maximumCellWidth: maximumCellWidth)
    }

    /// Draws the current state on the screen.
    func draw() throws(ToolFailure) {
        let tableHeight = max(1, terminal.height - Self.statusHeight)
        var lines = mode == .help ? LiveHelp.lines : tableLines
        lines = Array(lines.prefix(tableHeight))
        lines += Array(repeating: "", count: max(0, tableHeight - lines.count))
        if mode != .help {
            for (line, title) in indexBarTitles(height: tableHeight).enumerated() {
                lines[line] += LiveTerminal.column(terminal.width - 1) + title
            }
        }
        lines.append(LiveTerminal.reversed(TerminalText.fitted(statusText, to: terminal.width)))
        lines.append(TerminalText.shortened(lastLine, to: terminal.width))
        try terminal.show(lines)
        table.dropHiddenCells()
    }

    private var bodyWidth: Int {
        max(1, terminal.width - (table.indexBar.titles.isEmpty ? 0 : Self.indexBarWidth))
    }

    private var tableLines: [String] {
        let lines = table.viewport.lines
        let paths = lines.compactMap { if case .row(let path) = $0 { path } else { nil } }
        let rows = layout.lines(
            paths.map(table.cells), maximumWidth: max(1, bodyWidth - Self.indentation.count))
        let texts = Dictionary(uniqueKeysWithValues: zip(paths, rows))
        let chosen = table.viewport.chosenPath
        return lines.map { line in
            switch line {
            case .header(let section): header(section)
            case .row(let path):
                path == chosen
                    ? LiveTerminal.reversed(
                        TerminalText.fitted(Self.indentation + (texts[path] ?? ""), to: bodyWidth))
                    : Self.indentation + (texts[path] ?? "")
            }
        }
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
    private var statusText: String {
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

    /// The text of the last line: a prompt, a message, a failure, or the last change.
    private var lastLine: String {
        switch mode {
        case .searching:
            let found = search.map { $0.text.isEmpty ? "" : "  \(Quantity.count($0.matches.count)) found" }
            return "/\(TerminalText.escaped(search?.text ?? ""))_\(found ?? "")"
        case .jumping: return "Go to the index title: _"
        case .help: return "Any key returns to the list."
        case .list: break
        }
        if let message { return message }
        if let failure = watchFailure ?? table.failure {
            let failure = table.controller.managedObjectContext.container.explained(failure)
            return "Changes cannot be followed: \(TerminalText.escaped(failure.messageWithOption))"
        }
        return table.lastBatch.map { "Last change: \($0.summary)" } ?? "? shows the keys, q ends."
    }
}
