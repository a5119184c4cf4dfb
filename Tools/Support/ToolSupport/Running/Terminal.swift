import Foundation

/// The terminal that standard output leads to, if it is one.
package struct Terminal: Sendable {
    /// How a piece of text is shown.
    package enum Style: String, Sendable {
        /// For headings.
        case bold = "1"
        /// For what is beside the point.
        case faint = "2"
        /// For what is as it should be.
        case good = "32"
        /// For what is wrong.
        case bad = "31"
    }

    /// Whether standard output is a terminal.
    package let isTerminal: Bool
    /// The width in columns. 100 where there is no terminal.
    package let width: Int
    /// The height in lines. 24 where there is no terminal.
    package let height: Int
    private let showsStyles: Bool

    /// Looks at standard output. `NO_COLOR` and `TERM=dumb` are respected.
    package init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
        var size = winsize()
        let isKnown = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        width = isKnown ? max(20, Int(size.ws_col)) : 100
        height = isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
        let refusesColour = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        showsStyles = isTerminal && !refusesColour && !isDumb
    }

    /// The text with the codes of a style around it, on a terminal; elsewhere the text alone.
    package func styled(_ text: String, _ style: Style) -> String {
        showsStyles ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
