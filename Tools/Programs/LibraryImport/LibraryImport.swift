package import ArgumentParser
import ToolSupport

/// The tool that imports files of records into a store, and moves other stores into a new one.
package struct LibraryImport: ParsableCommand {
    /// The subcommands and the help.
    package static let configuration = CommandConfiguration(
        commandName: "library-import",
        abstract:
            "Imports CSV, JSON, music libraries, OPML, BibTeX, RIS and MARC, and moves, exports and adopts whole stores.",
        usage: """
            library-import [<options>] <file> … <store>
            library-import <subcommand> …
            """,
        discussion: """
            “library-import FILE … STORE” imports files; see “library-import help import”. With --version, the tool prints its \
            version.

            “library-import --from STORE NEW” moves everything of a Core Data store, or of any SQLite database, into a new store; \
            see “library-import help move”. “library-import export STORE DIRECTORY” writes a whole store to files, and \
            “library-import --from DIRECTORY NEW” makes an equal store of them.

            Exit status: 0 if every row was imported; 1 if rows were skipped, which are listed on standard error; 2 if the import \
            failed or was stopped; 3 if the import succeeded and all its rows are committed, but the summary could not be \
            printed; 64 if the command line is invalid.
            """,
        subcommands: [
            ImportCommand.self, ProposeCommand.self, GenerateCommand.self, AdoptCommand.self,
            HistoryCommand.self, UndoCommand.self, MoveCommand.self, ExportCommand.self,
        ],
        defaultSubcommand: ImportCommand.self)

    /// Creates the command that has no arguments.
    package init() {}

    /// Runs the tool with the arguments of the process, and ends the process.
    package static func main() {
        let arguments = Array(ProgramArguments.all.dropFirst())
        guard !printsCompletions(arguments) else { return }
        runAsTool(MoveCommand.completing(arguments))
    }

    /// Writes a note that is not a failure to standard error.
    static func note(_ text: String) {
        ImportProgress.clear()
        writeToStandardError("library-import: \(TerminalText.escaped(text))\n")
    }
}
