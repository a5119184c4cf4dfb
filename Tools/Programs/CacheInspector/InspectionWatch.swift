import ArgumentParser
import Foundation
import SectionCaching
import SectionedFetch
import ToolSupport

/// The repetition of an inspection while caches and store change, until a signal, or until the reader of the
/// output ends.
struct InspectionWatch {
    /// The files whose changes are watched. They need not exist.
    let files: [String]
    /// The time after which an inspection is repeated without a change; nil for never.
    let interval: Duration?
    let isJSON: Bool

    /// The time between two checks of the files, in microseconds.
    private static let pause: UInt32 = 200_000

    /// Prints reports until the end.
    ///
    /// - Throws: The error of the first report, whose errors are mostly those of the command line. Later
    ///   errors are printed in place of the report, because the caches or the store may come back. `ExitCode`
    ///   with 128 and the number of the signal.
    func run(_ report: () throws -> InspectionReport) throws {
        Interruption.begin()
        let isScreen = Terminal().isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
        var last: String?
        while true {
            let state = state
            let text = try text(of: report, isFirst: last == nil)
            if text != last {
                try show(text, isFirst: last == nil, on: isScreen ? Terminal() : nil)
                last = text
            }
            let start = ContinuousClock.now
            while self.state == state, interval.map({ ContinuousClock.now - start < $0 }) ?? true {
                if let signal = Interruption.signal { throw ExitCode(128 + signal) }
                if isOutputClosed { return }
                usleep(Self.pause)
            }
        }
    }

    private func text(of report: () throws -> InspectionReport, isFirst: Bool) throws -> String {
        do {
            let report = try report()
            if isJSON { return report.json().text }
            let lines = report.lines() + (report.finding.map { ["", $0.message] } ?? [])
            return lines.map { $0 + "\n" }.joined()
        } catch {
            if isFirst { throw error }
            let message =
                switch error {
                case let error as ObjectStorageError: error.messageWithOption
                default: "\(error)"
                }
            let text = TerminalText.escaped(message)
            return isJSON ? JSONValue.object([.init("error", .string(text))]).text : text + "\n"
        }
    }

    /// Prints a report.
    ///
    /// - Parameter screen: The terminal whose contents the text replaces; nil for plain text.
    private func show(_ text: String, isFirst: Bool, on screen: Terminal?) throws(ToolFailure) {
        var output = StandardOutput()
        if let screen {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let rest = lines.count - (screen.height - 1)
            if rest > 0 {
                lines = lines.prefix(max(0, screen.height - 2))
                lines.append("… \(Quantity.count(rest + 1)) more lines")
            }
            // Moves to the upper left corner, and clears the rest of each line and of the screen.
            output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
        } else {
            output.write((isFirst || isJSON ? "" : "\n") + text)
        }
        try output.finish()
    }

    /// The sizes and times of the files.
    private var state: [String] {
        files.map { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return "-" }
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            return "\(status.st_ino) \(status.st_size) \(time.tv_sec) \(time.tv_nsec)"
        }
    }

    /// Whether the reader of standard output ended.
    private var isOutputClosed: Bool {
        var file = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&file, 1, 0) > 0 && file.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }
}
