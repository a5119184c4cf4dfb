import Foundation

/// A line on the terminal that says how far an import is: quiet where standard error is no terminal.
struct ImportProgress {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var lastShown = ContinuousClock.now - .seconds(1)

    /// The seconds since the import began.
    var elapsed: Double {
        let parts = (ContinuousClock.now - start).components
        return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }

    /// Shows the state, at most ten times a second.
    mutating func show(rows: Int, byteOffset: Int, byteCount: Int) {
        guard isTerminal, ContinuousClock.now - lastShown > .milliseconds(100) else { return }
        lastShown = ContinuousClock.now
        let fraction = byteCount > 0 ? min(1, Double(byteOffset) / Double(byteCount)) : 0
        let width = 30
        let filled = Int(fraction * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
        let rate = Int(Double(rows) / max(elapsed, 0.001))
        let left = fraction > 0 ? Int(elapsed / fraction * (1 - fraction)) : 0
        let line = "\r\(bar) \(Int(fraction * 100)) %  \(rows) rows  \(rate) rows/s  \(left) s left\u{1B}[K"
        FileHandle.standardError.write(Data(line.utf8))
    }

    /// Clears the line.
    func end() {
        if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}
