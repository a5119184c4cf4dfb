/// An entry that another thread reads while it cannot be said yet which state is wanted.
///
/// Where that thread has not begun when the entry is wanted, for want of a processor, it never does: the caller reads it, and it is read and
/// compared with its digests once. Where it is reading the caller waits for it, but not for long.
package final class EntryAhead: Sendable {
    private let request: SectionCacheRequest
    private let condition = MonotonicCondition()
    /// Guarded by the condition's lock.
    nonisolated(unsafe) private var progress = Progress.none

    private enum Progress {
        /// Nobody reads it.
        case none
        /// The other thread does.
        case begun
        /// It was read, if it is there.
        case done(CachedIndex?)
        /// Whoever wants it reads it.
        case left
    }

    /// How long an entry takes to be read on a loaded machine, and longer.
    private static let longestWait = Duration.milliseconds(20)

    /// - Parameter request: Its token need say no more than which store it is.
    init(_ request: SectionCacheRequest) { self.request = request }

    /// Reads the entry, unless somebody else goes to do so.
    ///
    /// - Returns: What was read.
    func read(_ body: () -> CachedIndex?) -> CachedIndex? {
        condition.lock()
        let isWanted = if case .none = progress { true } else { false }
        if isWanted { progress = .begun }
        condition.unlock()
        guard isWanted else { return nil }
        let index = body()
        condition.lock()
        progress = .done(index)
        condition.broadcast()
        condition.unlock()
        return index
    }

    /// What was read, if it is what another request wants; nil if the caller has to read it.
    func index(for request: SectionCacheRequest) -> CachedIndex? {
        let isSame =
            request.name == self.request.name && request.fingerprint == self.request.fingerprint
            && request.token.storeIdentity == self.request.token.storeIdentity
        let end = ContinuousClock.now + Self.longestWait
        condition.lock()
        defer { condition.unlock() }
        guard isSame else {
            if case .none = progress { progress = .left }
            return nil
        }
        while true {
            switch progress {
            case .none: progress = .left
            case .left: return nil
            case .done(let index): return index
            case .begun:
                let rest = end - .now
                guard rest > .zero else { return nil }
                condition.wait(atMost: rest)
            }
        }
    }
}
