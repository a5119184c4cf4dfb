import Foundation
import ToolSupport

/// A terminal that a program has for itself, line by line and key by key, until ``restore()``.
///
/// It is commanded by the sequences of ECMA-48 that every terminal of today knows, and by no library: the
/// alternate screen, so that what was on the screen before is there again afterwards; no cursor; lines that
/// do not wrap, so that a character which the terminal thinks wider than we do spoils nothing but its own
/// line.
final class LiveTerminal {
    private var settings: termios
    private var isOurs = true
    private var shown: [String] = []
    /// The size in characters.
    private(set) var width = 80
    private(set) var height = 24

    /// Refuses to go on where standard input or output is no terminal, or one that cannot place its cursor.
    ///
    /// - Throws: ``ToolFailure``.
    static func check() throws(ToolFailure) {
        for (descriptor, name) in [(STDIN_FILENO, "standard input"), (STDOUT_FILENO, "standard output")]
        where isatty(descriptor) != 1 {
            throw ToolFailure("--live needs a terminal, and \(name) is none. Leave --live out for a listing.")
        }
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        guard !["", "dumb"].contains(kind) else {
            throw ToolFailure(
                "--live needs a terminal that can place its cursor, and TERM is “\(kind)”. Leave --live out for a listing."
            )
        }
    }

    /// Takes the terminal over.
    ///
    /// - Throws: ``ToolFailure``.
    init() throws(ToolFailure) {
        try Self.check()
        settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw Self.failure("asked") }
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | BRKINT | INPCK | ISTRIP)
        withUnsafeMutableBytes(of: &raw.c_cc) { controls in
            controls[Int(VMIN)] = 1
            controls[Int(VTIME)] = 0
        }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { throw Self.failure("set") }
        StatementWatchdog.restoreTerminal(settings, writing: Self.farewell)
        // The alternate screen, no wrapping, no cursor.
        try write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l")
        try resize()
    }

    deinit { restore() }

    /// The cursor, wrapping, and the screen that was there before.
    private static let farewell = "\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?1049l"

    /// Gives the terminal back as it was. Does nothing the second time.
    func restore() {
        guard isOurs else { return }
        isOurs = false
        // A terminal that is gone needs nothing any more.
        do throws(ToolFailure) { try write(Self.farewell) } catch {}
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Asks for the size, and draws everything the next time.
    func resize() throws(ToolFailure) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            (width, height) = (Int(size.ws_col), Int(size.ws_row))
        }
        shown = []
        try write("\u{1B}[0m\u{1B}[2J")
    }

    /// Draws everything the next time, because something else may have written to the terminal.
    func forget() { shown = [] }

    /// Shows lines from the top of the screen. Only those that changed are sent.
    func show(_ lines: [String]) throws(ToolFailure) {
        var output = ""
        for (position, line) in lines.prefix(height).enumerated()
        where position >= shown.count || shown[position] != line {
            output += "\u{1B}[\(position + 1);1H\u{1B}[0m\u{1B}[2K\(line)\u{1B}[0m"
        }
        shown = Array(lines.prefix(height))
        try write(output)
    }

    /// The text with its colours exchanged for those behind it.
    static func reversed(_ text: String) -> String { "\u{1B}[7m\(text)\u{1B}[27m" }

    /// The text in bold type.
    static func bold(_ text: String) -> String { "\u{1B}[1m\(text)\u{1B}[22m" }

    /// Goes to a column of the line that is being written.
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
