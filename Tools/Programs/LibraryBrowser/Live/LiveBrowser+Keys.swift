import SectionedFetch
import TerminalTable
import ToolSupport

extension LiveBrowser {
    /// Performs the action of a key.
    func press(_ key: Key) throws(ToolFailure) {
        switch key {
        case .interrupt: return end(.signal(SignalPipe.interruption))
        case .redraw: return terminal.forget()
        case .suspend:
            try terminal.suspend()
            return fitTable()
        default: message = nil
        }
        switch mode {
        case .page: turn(key)
        case .jumping: jump(key)
        case .searching(let origin): type(key, from: origin)
        case .list: browse(key)
        }
    }

    private func browse(_ key: Key) {
        let page = table.viewport.rowsOfPage
        switch key {
        case .down, .character("j"): table.viewport.move(by: 1)
        case .up, .character("k"): table.viewport.move(by: -1)
        case .pageDown, .character(" "): table.viewport.move(by: page)
        case .pageUp, .character("b"): table.viewport.move(by: -page)
        case .home, .character("g"): table.viewport.choose(0)
        case .end, .character("G"): table.viewport.choose(.max)
        case .character("'"): beginJumping()
        case .character("/"): beginSearching()
        case .character("n"): findNext()
        case .character("N"): findPrevious()
        case .right, .character("l"): showColumn(firstColumn + 1)
        case .left, .character("h"): showColumn(firstColumn - 1)
        case .enter: if let object = table.chosenObject { open(.details(object.objectID)) }
        case .character("s"), .character("m"): open(.status)
        case .character("?"): open(.help)
        case .character("q"): end(.quit)
        default: break
        }
    }

    private func showColumn(_ column: Int) {
        let last = max(0, table.columns.count - 1)
        if column > last { message = "This is the last column." }
        if column < 0 { message = "This is the first column." }
        firstColumn = max(0, min(column, last))
    }

    private func beginJumping() {
        guard !table.indexBar.titles.isEmpty else {
            message = "No index titles: the list is not grouped. Pass --group-by."
            return
        }
        mode = .jumping
    }

    private func jump(_ key: Key) {
        mode = .list
        guard case .character(let character) = key else { return }
        if let section = table.indexBar.section(titled: String(character)) {
            table.viewport.jump(toSection: section)
        } else {
            message = "No section has the index title “\(TerminalText.escaped(String(character)))”."
        }
    }

    private func beginSearching() {
        guard search != nil else {
            message = "No column to search. Choose some with --columns."
            return
        }
        search(for: "")
        mode = .searching(from: table.viewport.chosen)
    }

    private func type(_ key: Key, from origin: Int) {
        let text = search?.text ?? ""
        switch key {
        case .enter:
            finishSearch()
            mode = .list
        case .backspace where !text.isEmpty: search(for: String(text.unicodeScalars.dropLast()))
        case .escape, .backspace:
            mode = .list
            table.viewport.choose(origin)
        case .character(let character): search(for: text + String(character))
        default: break
        }
    }

    private func findNext() {
        let row = table.viewport.chosen + 1
        find { (search, viewport) throws(ObjectStorageError) in try search.match(from: row, in: viewport) }
    }

    private func findPrevious() {
        let row = table.viewport.chosen
        find { (search, viewport) throws(ObjectStorageError) in try search.match(above: row, in: viewport) }
    }
}
