import SectionedFetch
import TerminalTable
import ToolSupport

/// The pages over the list.
extension LiveBrowser {
    /// Shows a page over the present one.
    func open(_ content: LivePage.Content) {
        pages.append(LivePage(content))
        mode = .page
    }

    /// Returns to the page below, or to the list.
    private func close() {
        pages.removeLast()
        if pages.isEmpty { mode = .list }
    }

    /// The height of the lines of a page, below its title.
    private var pageHeight: Int { max(1, terminal.height - Self.statusHeight - 1) }

    /// Performs the action of a key on a page.
    func turn(_ key: Key) {
        guard var page = pages.last else { return mode = .list }
        let lines = contents(of: page)
        let (height, count) = (pageHeight, lines.count)
        func move(_ distance: Int) {
            page.move(by: distance, height: height, count: count)
            pages[pages.count - 1] = page
        }
        switch key {
        case .down, .character("j"): move(1)
        case .up, .character("k"): move(-1)
        case .pageDown, .character(" "): move(height)
        case .pageUp, .character("b"): move(-height)
        case .home, .character("g"): move(-count)
        case .end, .character("G"): move(count)
        case .character("q"): end(.quit)
        case .enter where page.hasCursor:
            switch lines.indices.contains(page.chosen) ? lines[page.chosen].action : nil {
            case .open(let object)?: open(.details(object))
            case .more(let relationship)?:
                page.showMore(of: relationship)
                move(0)
            case nil: message = "This line leads to no object."
            }
        case .escape, .backspace, .left, .character("h"): close()
        case .character("?") where page.hasCursor: open(.help)
        case .character("s") where page.hasCursor, .character("m") where page.hasCursor: open(.status)
        default: if !page.hasCursor { close() }
        }
    }

    /// The title of the page and its lines on the screen.
    func pageLines(height: Int) -> [String] {
        guard var page = pages.last else { return [] }
        let lines = contents(of: page)
        let rows = max(1, height - 1)
        page.settle(height: rows, count: lines.count)
        pages[pages.count - 1] = page
        let title = LiveTerminal.bold(TerminalText.shortened(title(of: page), to: terminal.width))
        return [title]
            + lines.enumerated().dropFirst(page.top).prefix(rows).map { number, line in
                guard page.hasCursor else { return TerminalText.shortened(line.text, to: terminal.width) }
                guard number == page.chosen else {
                    return TerminalText.shortened("  " + line.text, to: terminal.width)
                }
                return LiveTerminal.reversed(
                    TerminalText.fitted(Self.cursor + line.text, to: terminal.width))
            }
    }

    /// The keys of the shown page.
    var pageHint: String {
        pages.last?.hasCursor == true
            ? "Enter goes to the object of the line, Escape or Backspace back, j and k move."
            : "j, k, space and b move, q ends, any other key returns."
    }

    private func title(of page: LivePage) -> String {
        switch page.content {
        case .help: "Keys"
        case .status: "Status"
        case .details(let object): TerminalText.escaped("\(object)")
        }
    }

    private func contents(of page: LivePage) -> [LivePage.Line] {
        switch page.content {
        case .help: return LiveHelp.lines.map { LivePage.Line($0) }
        case .status:
            let texts = [statusText.trimmingPrefix(" ").description, cacheText, "", reportText]
                .compactMap(\.self)
            return texts.flatMap { TerminalText.wrapped($0, to: terminal.width) }.map { LivePage.Line($0) }
        case .details(let object):
            let context = table.controller.managedObjectContext
            return ObjectDetails(object, in: context, width: terminal.width - Self.cursor.count).lines(page)
        }
    }
}
