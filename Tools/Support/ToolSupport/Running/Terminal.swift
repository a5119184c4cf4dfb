import Foundation

/// The terminal of standard output, if it is one.
package struct Terminal: Sendable {
    /// The style of a piece of text.
    package enum Style: String, Sendable {
        /// Bold, for headings.
        case bold = "1"
        /// Faint, for secondary information.
        case faint = "2"
        /// Green, for success.
        case good = "32"
        /// Red, for errors.
        case bad = "31"
    }

    /// Whether standard output is a terminal.
    package let isTerminal: Bool
    /// The width in columns, or 100 without a terminal.
    package let width: Int
    /// The height in lines, or 24 without a terminal.
    package let height: Int
    private let showsStyles: Bool

    /// Creates a description of standard output. `NO_COLOR` and `TERM=dumb` disable styles.
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

    /// Returns a text in a style, or the plain text if standard output does not show styles.
    package func styled(_ text: String, _ style: Style) -> String {
        showsStyles ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
