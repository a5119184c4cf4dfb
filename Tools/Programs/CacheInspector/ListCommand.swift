import ArgumentParser
import SectionCaching
import ToolSupport

/// `cache-inspector list`: lists the caches of a directory.
struct ListCommand: Inspection {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the caches.")

    @OptionGroup var options: InspectionOptions

    func report() throws -> InspectionReport {
        let caches = options.caches
        var summaries: [CacheSummary] = []
        for name in try caches.cacheNames() {
            summaries.append(CacheSummary(name: name, entries: try caches.entries(ofCache: name)))
        }
        return InspectionReport(
            .array(summaries.map(\.json)),
            summaries.isEmpty
                ? [options.noCaches] : CacheSummary.lines(summaries))
    }
}
