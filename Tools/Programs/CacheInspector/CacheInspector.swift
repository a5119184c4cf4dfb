import ArgumentParser
import ToolSupport

/// `cache-inspector`: looks into section caches without changing them, and deletes them when told.
@main
struct CacheInspector: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache-inspector",
        abstract: "Shows what is in section caches, whether it is right, and why a request would miss.",
        discussion: """
            Nothing but delete changes or makes anything. A directory of caches that is not there is one without caches.

            \(ForeignStoreOptions.trust) All of its file is checked first.

            \(ToolExit.help)
            """,
        subcommands: [
            ListCommand.self, ShowCommand.self, VerifyCommand.self, ExplainCommand.self, DeleteCommand.self,
            StatisticsCommand.self,
        ])

    static func main() { runAsTool() }
}
