import SectionCaching
import SectionedFetch
import ToolSupport

/// A check of an entry without its request.
struct EntryCheck {
    let verdict: Verdict

    /// Checks the bytes of an entry and, with a store, whether the entry belongs to it and is current.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    init(
        _ entry: CacheEntry, in caches: SectionCacheStore, _ container: PersistentContainer?
    ) throws(ObjectStorageError) {
        let words = entry.request?.summary ?? entry.fingerprint.shortDescription
        func verdict(_ state: String, _ detail: String = "") -> Verdict {
            Verdict(entry.name, words, state, detail, isWrong: false)
        }
        func verdict(_ reason: MissReason) -> Verdict {
            Verdict(entry.name, words, reason.state, reason.inspected, isWrong: reason.isDamage)
        }
        if let problem = entry.problem {
            self.verdict = verdict(problem)
            return
        }
        guard let request = entry.request, let token = entry.token else {
            self.verdict = verdict(.corrupt(detail: "the directory's request"))
            return
        }
        guard let container else {
            self.verdict = verdict("intact")
            return
        }
        let names = token.dependencies.map(\.name)
        guard names != [StoreState.positionName] else {
            self.verdict = verdict("intact", "current while the replica has the position of the entry")
            return
        }
        let isOfFiles = names == [StoreState.filesName]
        guard isOfFiles || !names.isEmpty && names.allSatisfy(container.model.hasTable(named:)) else {
            self.verdict = verdict("foreign", "the entry belongs to a store with other entities")
            return
        }
        switch isOfFiles ? try container.stateOfFiles() : try container.state(of: names) {
        case .dirty(let names):
            self.verdict = verdict(try MissReason.dirty(dependencies: names).checked(in: container))
        case .untracked: self.verdict = verdict(.untracked)
        case .unsettled(let detail): self.verdict = verdict(.unsettled(detail: detail))
        case .stamped(let state):
            // Looking up the entry's own request with the store's current token checks all that a look-up
            // checks.
            let lookup = caches.lookUp(
                SectionCacheRequest(
                    name: entry.name, request: request,
                    token: StoreToken(
                        storeIdentity: state.storeIdentity, schemaDigest: state.schemaDigest,
                        dependencies: state.tables.map {
                            StoreToken.Dependency(name: $0.tableName, state: $0.state)
                        }),
                    authenticationKey: state.authenticationKey))
            switch lookup {
            case .hit, .advanced:
                self.verdict = verdict("current", "saved for this store, whose data has not changed since")
            case .miss(let reason) where token.storeIdentity != state.storeIdentity:
                self.verdict = verdict("foreign", reason.inspected)
            case .miss(let reason): self.verdict = verdict(reason)
            }
        }
    }
}
