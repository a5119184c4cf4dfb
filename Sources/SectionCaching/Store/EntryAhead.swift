import Synchronization

/// An entry that another thread reads while it cannot be said yet which state is wanted. Nobody waits for it: it is there, or it is read.
package final class EntryAhead: Sendable {
    private let request: SectionCacheRequest
    private let found = Mutex<CachedIndex?>(nil)

    /// - Parameter request: Its token need say no more than which store it is.
    init(_ request: SectionCacheRequest) { self.request = request }

    func hold(_ index: CachedIndex) { found.withLock { $0 = index } }

    /// What was read by now, if it is what another request wants.
    func index(for request: SectionCacheRequest) -> CachedIndex? {
        guard request.name == self.request.name, request.fingerprint == self.request.fingerprint,
            request.token.storeIdentity == self.request.token.storeIdentity
        else { return nil }
        return found.withLock { $0 }
    }
}
