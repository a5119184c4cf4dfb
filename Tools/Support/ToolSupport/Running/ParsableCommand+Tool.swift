package import ArgumentParser
import Foundation
import SectionedFetch

/// The exit statuses of all tools.
package enum ToolExit {
    /// The tool succeeded. A cache miss is not a failure.
    package static let success: Int32 = 0
    /// The tool succeeded and found a problem in its input, which it reports on standard error.
    package static let finding: Int32 = 1
    /// The tool failed, for the reason on standard error.
    package static let failure: Int32 = 2
    /// An import succeeded and its rows are committed, but the summary could not be printed.
    package static let unreportedImport: Int32 = 3
    /// The command line is invalid, for the reason on standard error (`EX_USAGE` of `sysexits.h`).
    package static let usage: Int32 = 64
    /// The tool found a defect of the software, which it reports on standard error (`EX_SOFTWARE` of
    /// `sysexits.h`).
    package static let defect: Int32 = 70

    /// The paragraph about exit statuses in each tool's `--help`.
    package static let help =
        "Exit status: 0 on success; 1 on success with a problem found; 2 on failure; 64 if the command line is invalid."
}

extension ParsableCommand {
    /// Parses the command line, runs the command and ends the process.
    ///
    /// A failure is one line on standard error, `tool: message`, with control characters escaped, because
    /// messages quote names from files. `--version` as the first argument prints the versions of the tool and
    /// of the C libraries, which belong to the system, and `--generate-manual` writes manual pages. Standard
    /// output closed by its reader (`tool | head`) is not a failure.
    ///
    /// - Parameter arguments: The arguments after the name of the program; nil for those of the process.
    package static func runAsTool(_ arguments: [String]? = nil) -> Never {
        _ = ProcessStart.marked
        StandardDescriptors.occupy()
        signal(SIGPIPE, SIG_IGN)
        do {
            try LibraryVersions.check()
            if ProgramArguments.all.dropFirst().first == "--version" {
                var output = StandardOutput()
                output.write(LibraryVersions.text(of: configuration.commandName ?? _commandName) + "\n")
                try output.finish()
                Foundation.exit(ToolExit.success)
            }
            if ProgramArguments.all.dropFirst().first == "--generate-manual" {
                try writeManual(to: Array(ProgramArguments.all.dropFirst(2)))
                Foundation.exit(ToolExit.success)
            }
            var command = try parseAsRoot(arguments ?? Array(ProgramArguments.all.dropFirst()))
            try command.run()
            Foundation.exit(ToolExit.success)
        } catch {
            Foundation.exit(report(error))
        }
    }

    /// Writes the manual pages of the tool and of its commands to a directory.
    ///
    /// - Throws: ``ToolFailure`` without the path of a directory, or if a page cannot be written.
    private static func writeManual(to arguments: [String]) throws {
        guard let directory = arguments.first, arguments.count == 1 else {
            throw ToolFailure(
                "--generate-manual needs the path of a directory for the pages, and nothing else.")
        }
        for page in try ManualPage.pages(ofHelp: _dumpHelp()) {
            let file = PathArgument.url(directory).appending(path: page.fileName)
            do {
                try Data(page.text(version: LibraryVersions.tools).utf8).write(to: file, options: .atomic)
            } catch {
                throw ToolFailure(
                    "“\(file.path)” cannot be written: \(error.localizedDescription) Pass a directory that can be written."
                )
            }
        }
    }

    /// Prints the error of a command and returns the exit status for it.
    package static func report(_ error: any Error) -> Int32 {
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
            // The user requested help.
            var output = StandardOutput()
            output.write(message + "\n")
            return output.finish(reportingAs: name) ? ToolExit.success : ToolExit.failure
        }
        let prefix = "Error: "
        let text = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
        writeToStandardError("\(name): \(TerminalText.escaped(text, keepingLineBreaks: true))\n")
        return status
    }

    /// Returns the message of an error of this package, or nil for an error of the argument parser.
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

/// Writes a note or an error message. A failure to write to standard error is ignored.
package func writeToStandardError(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        bytes.removeFirst(count)
    }
}
