import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// `cache-inspector show`: shows the entries of a cache.
struct ShowCommand: Inspection {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows the entries of a cache: request, sections, token and sizes.")

    @Argument(help: "The name of the cache.")
    var name: String

    @Flag(help: "Also show the sections.")
    var sections = false

    @Flag(
        help:
            "Also plot the sizes of the sections as bars, in the width of the terminal. More than forty sections are summed in groups of neighbours."
    )
    var plot = false

    @OptionGroup var options: InspectionOptions

    func validate() throws { _ = try CacheName(argument: name) }

    func report() throws -> InspectionReport {
        let name = try CacheName(name)
        let caches = options.caches
        let entries = try caches.entries(ofCache: name)
        guard !entries.isEmpty else {
            return try InspectionReport(ofMissingCache: name, options)
        }
        let reports = entries.map { EntryReport(entry: $0, showsSections: sections, showsPlot: plot) }
        return InspectionReport(
            .array(reports.map(\.json)), Array(reports.map(\.lines).joined(separator: [""])))
    }
}
