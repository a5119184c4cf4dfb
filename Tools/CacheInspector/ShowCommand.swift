import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// `cache-inspector show`
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the entries of a cache: request, sections, token and sizes.")

    @Argument(help: "The cache.")
    var name: String

    @Flag(help: "Show the sections as well.")
    var sections = false

    @OptionGroup var options: InspectionOptions

    func validate() throws { _ = try CacheName(argument: name) }

    func run() throws {
        let name = try CacheName(name)
        let caches = options.caches
        let entries = try caches.entries(ofCache: name)
        guard !entries.isEmpty else { throw try ToolFailure.noCache(name, in: caches) }
        let reports = entries.map { EntryReport(entry: $0, showsSections: sections) }
        try options.print(
            .array(reports.map(\.json)), orText: Array(reports.map(\.lines).joined(separator: [""])))
    }
}

extension ToolFailure {
    /// A cache that is not there, with those that are.
    static func noCache(_ name: CacheName, in caches: SectionCacheStore) throws(CacheInspectionError)
        -> ToolFailure
    {
        let names = try caches.cacheNames()
        let others =
            names.prefix(5).map { "“\($0)”" }.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        return ToolFailure(
            "There is no cache “\(name)” in “\(caches.directory.path)”. "
                + (names.isEmpty ? "There are none." : "There are: \(others)."))
    }
}
