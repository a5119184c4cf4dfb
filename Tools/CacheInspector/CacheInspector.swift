import ArgumentParser
import SectionCaching
import ToolSupport

/// `cache-inspector`: looks into section caches without changing them, and deletes them when told.
@main
struct CacheInspector: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache-inspector",
        abstract: "Shows what is in section caches, whether it is right, and why a request would miss.",
        discussion: """
            Nothing but delete changes or makes anything. A directory of caches that is not there is one without caches.

            \(ToolExit.help)
            """,
        subcommands: [
            ListCommand.self, ShowCommand.self, VerifyCommand.self, ExplainCommand.self, DeleteCommand.self,
            StatisticsCommand.self,
        ])

    static func main() { runAsTool() }
}

/// What every subcommand takes.
struct InspectionOptions: ParsableArguments {
    @OptionGroup var cacheDirectory: CacheDirectoryOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// The caches, opened for reading alone.
    var caches: SectionCacheStore {
        SectionCacheStore(
            directory: cacheDirectory.directory, options: SectionCacheStore.Options(isReadOnly: true))
    }

    /// Prints the one or the other.
    func print(_ value: @autoclosure () -> JSONValue, orText text: @autoclosure () -> [String])
        throws(ToolFailure)
    {
        var output = StandardOutput()
        if json {
            output.write(value().text)
        } else {
            for line in text() { output.write(line + "\n") }
        }
        try output.finish()
    }
}
