import ArgumentParser
import SectionCaching
import SectionedFetch
import ToolSupport

/// `cache-inspector explain`: explains the look-up of a request.
struct ExplainCommand: Inspection {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows whether a request would hit a cache now, or the reason for the miss.",
        usage: "cache-inspector explain --cache <name> --store <store> [<options>]",
        discussion:
            "The request has the same options as in library-browser. Nothing is computed or saved. A miss is not a failure."
    )

    @Option(help: ArgumentHelp("The name of the cache.", valueName: "name"))
    var cache: String

    @OptionGroup var compared: ComparedStoreOptions
    @OptionGroup var options: InspectionOptions

    func validate() throws {
        _ = try CacheName(argument: cache)
        if compared.store == nil {
            throw ValidationError("Pass --store with the store or database of the request.")
        }
    }

    var watchedStore: String? { compared.store }

    func report() throws -> InspectionReport {
        let caches = options.caches
        let name = try CacheName(cache)
        let container = try compared.open(compared.store ?? "")
        let (controller, summary) = try compared.controller(named: name, in: caches, container: container)
        guard var lookup = try controller.lookUpCache() else {
            preconditionFailure("The controller for cache “\(name)” has no cache name.")
        }
        if case .miss(let reason) = lookup {
            let found = try reason.checked(in: container)
            lookup = .miss(found.checked(for: controller.canonicalRequest, under: name, in: caches))
        }
        // If the caches cannot be read, the look-up has already reported it.
        let others = (try? caches.entries(ofCache: name)) ?? []
        let next: String? = if case .miss(let reason) = lookup { reason.next(in: container) } else { nil }
        return InspectionReport(
            json(lookup, next, summary, others), lines(lookup, next, summary, others))
    }

    private func lines(
        _ lookup: CacheLookup, _ next: String?, _ summary: String, _ entries: [CacheEntry]
    ) -> [String] {
        var lines = ["request  \(summary)"]
        switch lookup {
        case .hit(let index), .advanced(let index, _):
            lines.append(
                "answer   hit: \(Quantity.count(index.numberOfRows, "row")) in \(Quantity.count(index.numberOfSections, "section"))"
            )
        case .miss(let reason):
            lines.append("answer   miss: \(options.described(reason))")
            if let next { lines.append("next     \(next)") }
        }
        if case .miss = lookup {
            for entry in entries { lines.append("entry    \(entry.request?.summary ?? "unreadable")") }
        }
        return lines.map { TerminalText.escaped($0) }
    }

    private func json(
        _ lookup: CacheLookup, _ next: String?, _ summary: String, _ entries: [CacheEntry]
    ) -> JSONValue {
        let reason: MissReason? = if case .miss(let reason) = lookup { reason } else { nil }
        return [
            "request": .string(summary),
            "lookup": lookup.isHit ? "hit" : "miss",
            "reason": .string(ifPresent: reason?.inspected),
            "next": .string(ifPresent: next),
            "entries": .array(entries.map { .string(ifPresent: $0.request?.summary) }),
        ]
    }
}
