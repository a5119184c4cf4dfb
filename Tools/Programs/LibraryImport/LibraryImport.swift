import ArgumentParser
import ToolSupport

/// The tool that brings files of records into a store.
@main
struct LibraryImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library-import",
        abstract: "Imports CSV, JSON Lines and JSON arrays into a store.",
        discussion: """
            Exit status: 0 when every row was imported; 1 when rows were skipped, which standard error tells; 2 when the import \
            could not be done or was stopped; 3 when it was done and all its rows are committed, but the summary could not be \
            printed; 64 when the command line cannot be understood.
            """,
        subcommands: [ImportCommand.self, ProposeCommand.self, GenerateCommand.self],
        defaultSubcommand: ImportCommand.self)

    static func main() { runAsTool() }

    /// Tells the user something that is no failure.
    static func note(_ text: String) {
        ImportProgress.clear()
        writeToStandardError("library-import: \(TerminalText.escaped(text))\n")
    }
}
