import ArgumentParser
import Foundation

/// The tool that brings files of records into a store.
@main
struct LibraryImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library-import",
        abstract: "Imports CSV, JSON Lines and JSON arrays into a store.",
        discussion: """
            Exit status: 0 when every row was imported, 1 when rows were skipped, 2 when the import stopped, 64 when the
            command line is wrong.
            """,
        subcommands: [ImportCommand.self, ProposeCommand.self, GenerateCommand.self],
        defaultSubcommand: ImportCommand.self)
}

/// What the tool ends with.
enum Ending {
    /// Some rows were skipped.
    static let skippedRows = ExitCode(1)
    /// The import stopped.
    static let stopped = ExitCode(2)

    /// Says why on standard error, and gives the status to end with.
    static func stopping(_ error: any Error) -> ExitCode {
        FileHandle.standardError.write(Data("library-import: \(escaped("\(error)"))\n".utf8))
        return stopped
    }

    /// A text from a file, safe to show on a terminal.
    static func escaped(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
