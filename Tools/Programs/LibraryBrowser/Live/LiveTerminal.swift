import Foundation
import ToolSupport

/// A terminal in raw mode, drawn line by line and read key by key, until ``restore()``.
///
/// It is controlled by ECMA-48 sequences that every current terminal supports, without a library: the
/// alternate screen, so that the previous content of the screen is restored afterwards; no cursor; and no
/// line wrapping, so that a character that the terminal draws wider than computed affects only its own line.
final class LiveTerminal {
    private var settings: termios
    private var rawSettings: termios
    private var isOurs = true
    private var shown: [String] = []
    /// The width of the terminal, in columns.
    private(set) var width = 80
    /// The height of the terminal, in lines.
    private(set) var height = 24

    /// Checks that standard input and output are terminals that can position the cursor.
    ///
    /// - Throws: ``ToolFailure``.
    static func check() throws(ToolFailure) {
        for (descriptor, name) in [(STDIN_FILENO, "standard input"), (STDOUT_FILENO, "standard output")]
        where isatty(descriptor) != 1 {
            throw ToolFailure(
                "--live needs a terminal, and \(name) is not a terminal. Omit --live for a listing.")
        }
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        guard !["", "dumb"].contains(kind) else {
            throw ToolFailure(
                "--live needs a terminal that can position its cursor, and TERM is “\(kind)”. Omit --live for a listing."
            )
        }
    }

    /// Switches the terminal to raw mode and the alternate screen.
    ///
    /// - Throws: ``ToolFailure``.
    init() throws(ToolFailure) {
        try Self.check()
        settings = termios()
        rawSettings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Self.failure("queried") }
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | BRKINT | INPCK | ISTRIP)
        withUnsafeMutableBytes(of: &raw.c_cc) { controls in
            controls[Int(VMIN)] = 1
            controls[Int(VTIME)] = 0
        }
        rawSettings = raw
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { throw Self.failure("configured") }
        StatementWatchdog.restoreTerminal(settings, writing: Self.farewell)
        try write(Self.greeting)
        try resize()
    }

    /// Restores the terminal, stops the process as Ctrl-Z does, and takes the terminal again when the process
    /// continues.
    ///
    /// - Throws: ``ToolFailure`` if the terminal fails.
    func suspend() throws(ToolFailure) {
        try write(Self.farewell)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        SignalPipe.stop()
        try resume()
    }

    /// Takes the terminal again after another program used it, and clears the screen.
    ///
    /// - Throws: ``ToolFailure`` if the terminal fails.
    func resume() throws(ToolFailure) {
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &rawSettings) == 0 else {
            throw Self.failure("configured")
        }
        try write(Self.greeting)
        try resize()
    }

    deinit { restore() }

    /// The sequences for the alternate screen, no wrapping and no cursor.
    private static let greeting = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l"
    /// The sequences that restore the cursor, line wrapping and the previous screen.
    private static let farewell = "\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l"

    /// Restores the terminal to its previous state. A second call has no effect.
    func restore() {
        guard isOurs else { return }
        isOurs = false
        // Writing fails if the terminal was closed, which then needs no restoring.
        do throws(ToolFailure) { try write(Self.farewell) } catch {}
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Reads the size of the terminal, and clears the screen for a complete redraw.
    func resize() throws(ToolFailure) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            (width, height) = (Int(size.ws_col), Int(size.ws_row))
        }
        shown = []
        try write("\u{1B}[0m\u{1B}[2J")
    }

    /// Forces a complete redraw, for when another program may have written to the terminal.
    func forget() { shown = [] }

    /// Shows lines from the top of the screen, writing only lines that changed.
    func show(_ lines: [String]) throws(ToolFailure) {
        var output = ""
        for (position, line) in lines.prefix(height).enumerated()
        where position >= shown.count || shown[position] != line {
            output += "\u{1B}[\(position + 1);1H\u{1B}[0m\u{1B}[2K\(line)\u{1B}[0m"
        }
        shown = Array(lines.prefix(height))
        try write(output)
    }

    /// Returns a text with its foreground and background colours exchanged.
    static func reversed(_ text: String) -> String { "\u{1B}[7m\(text)\u{1B}[27m" }

    /// Returns a text in bold type.
    static func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[22m" }

    /// Returns the sequence that moves to a column of the current line.
    static func column(_ column: Int) -> String { "\u{1B}[\(column)G" }

    private func write(_ text: String) throws(ToolFailure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Self.failure("written")
            }
        }
    }

    private static func failure(_ verb: String) -> ToolFailure {
        ToolFailure("The terminal cannot be \(verb): \(String(cString: strerror(errno))).")
    }
}
