package import ArgumentParser
import Foundation
import SectionedFetch

/// The exit statuses of all tools.
package enum ToolExit {
    /// The tool did what was asked. A cache miss is no failure.
    package static let success: Int32 = 0
    /// The tool did what was asked and found something amiss, which standard error tells.
    package static let finding: Int32 = 1
    /// The tool could not do what was asked, and standard error says why.
    package static let failure: Int32 = 2
    /// An import is done and its rows are committed, but the summary could not be printed.
    package static let unreportedImport: Int32 = 3
    /// The command line cannot be understood, and standard error says why (`EX_USAGE` of `sysexits.h`).
    package static let usage: Int32 = 64
    /// The tool found a defect of the software, which standard error tells (`EX_SOFTWARE` of `sysexits.h`).
    package static let defect: Int32 = 70

    /// The paragraph about exit statuses in each tool's `--help`.
    package static let help =
        "Exit status: 0 when done; 1 when done and something was found amiss; 2 when it could not be done; 64 when the command line cannot be understood."
}

extension ParsableCommand {
    /// Parses the command line, runs the command and ends the process.
    ///
    /// Failures are one line on standard error, `tool: message`, with control characters escaped, because
    /// messages quote names out of files. `--version` alone prints the versions of the C libraries, which
    /// come with the system. Standard output closed by its reader (`tool | head`) is no failure.
    package static func runAsTool() -> Never {
        _ = ProcessStart.marked
        StandardDescriptors.occupy()
        signal(SIGPIPE, SIG_IGN)
        do {
            try LibraryVersions.check()
            if CommandLine.arguments.dropFirst().first == "--version" {
                var output = StandardOutput()
                output.write(LibraryVersions.text + "\n")
                try output.finish()
                Foundation.exit(ToolExit.success)
            }
            var command = try parseAsRoot()
            try command.run()
            Foundation.exit(ToolExit.success)
        } catch {
            Foundation.exit(report(error))
        }
    }

    /// Prints why a command did not succeed and gives the exit status for it.
    static func report(_ error: any Error) -> Int32 {
        let name = configuration.commandName ?? _commandName
        if let message = failureMessage(error) {
            writeToStandardError("\(name): \(TerminalText.escaped(message))\n")
            return switch error {
            case is ToolFinding: ToolExit.finding
            case is ToolDefect: ToolExit.defect
            default: ToolExit.failure
            }
        }
        let status = exitCode(for: error).rawValue
        let message = fullMessage(for: error)
        if message.isEmpty { return status }
        if status == ToolExit.success {
            // Help that was asked for.
            var output = StandardOutput()
            output.write(message + "\n")
            return output.finish(reportingAs: name) ? ToolExit.success : ToolExit.failure
        }
        let prefix = "Error: "
        let text = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        writeToStandardError("\(name): \(TerminalText.escaped(text, keepingLineBreaks: true))\n")
        return status
    }

    /// The message of an error of ours; nil for those of the argument parser.
    private static func failureMessage(_ error: any Error) -> String? {
        switch error {
        case let error as ToolFailure: error.message
        case let error as ToolFinding: error.message
        case let error as ToolDefect: error.message
        case let error as ObjectStorageError: error.messageWithOption
        case let error as CacheNameError: error.description
        case let error as CacheInspectionError: error.description
        default: nil
        }
    }
}

/// Writes a note or an error message. A standard error that cannot be written leaves nobody to tell.
package func writeToStandardError(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        bytes.removeFirst(count)
    }
}
