import Foundation
import ToolSupport

/// The progress line of an import, shown only if standard error is a terminal.
struct ImportProgress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1
    /// The time at which the program began to read the file.
    let begin = ContinuousClock.now
    private var lastShown = ContinuousClock.now - .seconds(1)

    /// The time since the import began.
    var elapsed: Duration { ContinuousClock.now - begin }

    /// Shows the progress, at most ten times a second.
    mutating func show(_ progress: Importer.Progress) {
        guard Self.isTerminal, ContinuousClock.now - lastShown > .milliseconds(100) else { return }
        lastShown = .now
        writeToStandardError("\r" + Self.line(progress, seconds: Quantity.seconds(elapsed)) + "\u{1B}[K")
    }

    /// Clears the line, so that the next output starts in its first column.
    static func clear() {
        if isTerminal { writeToStandardError("\r\u{1B}[K") }
    }

    /// Returns the text of the line: a bar, the number of rows, their rate and the remaining time.
    static func line(_ progress: Importer.Progress, seconds: Double) -> String {
        let rate = Int(Double(progress.rows) / max(seconds, 0.001))
        let counts = "\(Quantity.count(progress.rows)) rows  \(Quantity.count(rate)) rows/s"
        guard progress.byteCount > 0 else { return counts }
        let fraction = min(1, Double(progress.byteOffset) / Double(progress.byteCount))
        let width = 24
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
        let left = fraction > 0 ? Int((seconds / fraction * (1 - fraction)).rounded()) : 0
        let rest = left < 60 ? "\(left) s" : Quantity.duration(.seconds(left))
        return "\(bar) \(Int(fraction * 100)) %  \(counts)  \(rest) left"
    }
}
