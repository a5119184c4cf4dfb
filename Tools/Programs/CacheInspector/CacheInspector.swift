import ArgumentParser
import ToolSupport

/// `cache-inspector`: inspects section caches without changing them, and deletes them on request.
@main
struct CacheInspector: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache-inspector",
        abstract: "Shows the contents of section caches, checks them, and explains why a request would miss.",
        discussion: """
            Only delete changes anything. A directory that does not exist is reported as one without caches.

            \(ForeignStoreOptions.trust) The whole file is checked first.

            \(ToolExit.help)
            """,
        version: LibraryVersions.text(of: "cache-inspector"),
        subcommands: [
            ListCommand.self, ShowCommand.self, VerifyCommand.self, ExplainCommand.self, DeleteCommand.self,
            StatisticsCommand.self,
        ])

    static func main() { runAsTool() }
}
