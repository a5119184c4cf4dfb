import Foundation
import ToolSupport

/// The progress line of an import, shown only if standard error is a terminal.
///
/// An import may read its file several times: for the names of the fields, for their types, and for the rows.
/// The share, the rate and the remaining time are those of all passes together.
struct ImportProgress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1
    /// The time at which the program began to read the file.
    let begin = ContinuousClock.now
    /// Whether the line is shown.
    var isShown = true
    /// Called with the number of each pass but the last, its rows and its end.
    var notePass: ((Int, Int, Duration) -> Void)?
    private var lastShown = ContinuousClock.now - .seconds(1)
    private(set) var passes = ImportPasses()

    /// The time since the import began.
    var elapsed: Duration { ContinuousClock.now - begin }

    /// Sets the number of passes that are expected.
    mutating func expectPasses(_ count: Int) { passes.expected = count }

    /// Records that the next pass is the last one.
    mutating func beginLastPass() {
        if let rows = passes.beginLast() { notePass?(passes.complete, rows, elapsed) }
    }

    /// Shows the progress, at most ten times a second.
    mutating func show(_ progress: Importer.Progress) {
        if let rows = passes.add(progress) { notePass?(passes.complete, rows, elapsed) }
        guard isShown, Self.isTerminal, ContinuousClock.now - lastShown > .milliseconds(100) else { return }
        lastShown = .now
        writeToStandardError(
            "\r" + Self.line(progress, seconds: Quantity.seconds(elapsed), passes) + "\u{1B}[K")
    }

    /// Clears the line, so that the next output starts in its first column.
    static func clear() {
        if isTerminal { writeToStandardError("\r\u{1B}[K") }
    }

    /// Returns the text of the line: a bar, the number of rows, their rate and the remaining time.
    ///
    /// - Parameters:
    ///   - progress: The progress of the current pass.
    ///   - seconds: The time since the first pass began.
    static func line(
        _ progress: Importer.Progress, seconds: Double, _ passes: ImportPasses = ImportPasses()
    ) -> String {
        let rate = Int(Double(passes.rowsBefore + progress.rows) / max(seconds, 0.001))
        let counts = "\(Quantity.count(progress.rows)) rows  \(Quantity.count(rate)) rows/s"
        guard progress.byteCount > 0 else { return counts }
        let fraction = passes.fraction(progress)
        let width = 24
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
        let left = fraction > 0 ? Int((seconds / fraction * (1 - fraction)).rounded()) : 0
        let rest = left < 60 ? "\(left) s" : Quantity.duration(.seconds(left))
        let pass = passes.expected > 1 ? "  pass \(passes.complete + 1) of \(passes.expected)" : ""
        return "\(bar) \(Int(fraction * 100)) %  \(counts)  \(rest) left\(pass)"
    }
}
