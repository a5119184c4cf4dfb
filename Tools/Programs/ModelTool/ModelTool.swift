import ArgumentParser
import ToolSupport

/// `model-tool`: shows Core Data models, and writes Swift classes for their entities.
@main
struct ModelTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model-tool",
        abstract:
            "Shows models of Core Data's tools and of SQLite databases, and writes Swift classes for their entities.",
        discussion: """
            A model is a .xcdatamodeld or .xcdatamodel bundle, the file “contents” in it, a compiled .momd \
            bundle, or a .mom file. A store of Core Data or of this library, and a database that library-import adopt \
            tracks, contain their model. Any other SQLite database is accepted as well: its tables are read as a model. No \
            store or database is changed.

            \(ToolExit.help)
            """,
        version: LibraryVersions.text(of: "model-tool"),
        subcommands: [ShowCommand.self, JSONCommand.self, GenerateCommand.self])

    static func main() { runAsTool() }

    /// Writes a note that is not a failure to standard error.
    static func note(_ text: String) {
        writeToStandardError("model-tool: \(TerminalText.escaped(text))\n")
    }
}
