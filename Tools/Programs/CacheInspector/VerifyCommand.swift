import ArgumentParser
import SectionCaching
import SectionedFetch
import ToolSupport

/// `cache-inspector verify`: checks the entries of caches.
struct VerifyCommand: Inspection {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks caches: their bytes, their store, and whether they equal the store's data.",
        discussion: """
            Without options, it checks that every entry is as it was written. With --store, it also checks that the entry \
            belongs to that store, and shows whether it is current. A stale entry is not a failure, because it is never used.

            With a request, which has the same options as in library-browser, it computes the sections anew and compares them \
            with the request's entry row by row. The result is equal or WRONG, or the reason why the entry would not be used: \
            stale, absent, foreign, untracked, off, DAMAGED or FORGED. Caches that cannot be read are refused. An entry \
            contains only enough of its request for a comparison, so the request must be given again.
            """)

    @Argument(help: "The name of the cache. [default: all caches]")
    var name: String?

    @OptionGroup var compared: ComparedStoreOptions
    @OptionGroup var options: InspectionOptions

    func validate() throws {
        _ = try name.map { try CacheName(argument: $0) }
        guard !compared.request.isEmpty else { return }
        if name == nil { throw ValidationError("Pass the name of the cache to compare with a request.") }
        if compared.store == nil { throw ValidationError("Pass --store to compare with a request.") }
    }

    var watchedStore: String? { compared.store }

    func report() throws -> InspectionReport {
        let caches = options.caches
        let name = try name.map { try CacheName($0) }
        let container = try compared.store.map { try compared.open($0) }
        let verdicts: [Verdict]
        if let name, let container, !compared.request.isEmpty {
            verdicts = [try recompute(name, caches, container)]
        } else if let name, try caches.entries(ofCache: name).isEmpty {
            return try InspectionReport(ofMissingCache: name, options)
        } else {
            verdicts = try check(name, caches, container)
        }
        let numberOfFindings = verdicts.count { $0.isWrong }
        let finding = ToolFinding(
            "\(Quantity.count(numberOfFindings, "entry is", "entries are")) damaged or wrong.")
        return InspectionReport(
            .array(verdicts.map(\.json)), lines(verdicts), finding: numberOfFindings > 0 ? finding : nil)
    }

    private func lines(_ verdicts: [Verdict]) -> [String] {
        guard !verdicts.isEmpty else { return [options.noCaches] }
        var table = TextTable(alignments: [.left, .left, .left, .left])
        return table.lines(verdicts.map { [$0.cacheName, $0.entry, $0.state, $0.detail] })
    }

    /// Computes a request's sections anew and compares them with its entry.
    ///
    /// - Throws: ``ToolFailure`` if the caches cannot be read, ``ObjectStorageError`` if the store cannot.
    private func recompute(
        _ name: CacheName, _ caches: SectionCacheStore, _ container: PersistentContainer
    ) throws -> Verdict {
        let (controller, summary) = try compared.controller(named: name, in: caches, container: container)
        guard let verification = try controller.verifyCache() else {
            preconditionFailure("The controller for cache “\(name)” has no cache name.")
        }
        switch verification {
        case .equal(let sections, let rows):
            let detail = "\(Quantity.count(rows, "row")) in \(Quantity.count(sections, "section"))"
            return Verdict(name, summary, "equal", detail, isWrong: false)
        case .unused(let reason):
            let reason = try reason.checked(in: container)
                .checked(for: controller.canonicalRequest, under: name, in: caches)
            if reason.isOfDirectory { throw ToolFailure("The cache cannot be read: \(reason).") }
            return Verdict(name, summary, reason.state, reason.inspected, isWrong: reason.isDamage)
        case .different(let detail): return Verdict(name, summary, "WRONG", detail, isWrong: true)
        }
    }

    /// Checks the entries of one cache or of all caches, as far as possible without their requests.
    private func check(
        _ name: CacheName?, _ caches: SectionCacheStore, _ container: PersistentContainer?
    ) throws -> [Verdict] {
        var verdicts: [Verdict] = []
        for cacheName in try name.map({ [$0] }) ?? caches.cacheNames() {
            let entries = try caches.entries(ofCache: cacheName)
            for entry in entries { verdicts.append(try EntryCheck(entry, in: caches, container).verdict) }
        }
        return verdicts
    }
}

/// The result of verifying an entry.
struct Verdict {
    let cacheName: String
    let entry: String
    let state: String
    let detail: String
    let isWrong: Bool

    init(_ cacheName: CacheName, _ entry: String, _ state: String, _ detail: String, isWrong: Bool) {
        self.cacheName = cacheName.rawValue
        self.entry = entry
        self.state = state
        self.detail = detail
        self.isWrong = isWrong
    }

    var json: JSONValue {
        [
            "name": .string(cacheName), "entry": .string(entry), "state": .string(state),
            "detail": .string(detail),
            "isWrong": .boolean(isWrong),
        ]
    }
}
