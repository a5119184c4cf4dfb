import InternalUtilities

/// A mailbox in which other contexts' saves and external changes are stored for a context.
///
/// A context is confined and cannot be accessed from elsewhere: changes wait here until the context takes
/// them.
final class ContextMailbox: Sendable {
    private struct State {
        var changes: StoreChanges?
        var failure: ObjectStorageError?
        var listeners: [(number: Int, continuation: AsyncStream<Void>.Continuation)] = []
        var lastNumber = 0
        /// Whether the context has observers, for which the values of changed rows are kept.
        var isObserved = false
    }

    /// The number of waiting objects above which only their entities are stored.
    private static let maximumCount = 10_000
    private let state = LockedValue(State())

    deinit {
        for listener in state.withLock({ $0.listeners }) { listener.continuation.finish() }
    }

    /// Adds changes. Called from any thread.
    func post(_ changes: StoreChanges) {
        notifyListeners { state in
            var changes = changes
            if !state.isObserved { changes.previousRows = .overfull }
            if state.changes?.append(changes) == nil { state.changes = changes }
            if let waiting = state.changes, waiting.listedCount > Self.maximumCount {
                state.changes = waiting.byEntity
            }
        }
    }

    /// Whether the context has observers of changes.
    var isObserved: Bool {
        get { state.withLock { $0.isObserved } }
        set { state.withLock { $0.isObserved = newValue } }
    }

    /// Stores the reason why no more changes can be delivered. Called from any thread.
    func post(_ failure: ObjectStorageError) { notifyListeners { $0.failure = failure } }

    private func notifyListeners(_ body: (inout State) -> Void) {
        let listeners = state.withLock { state in
            body(&state)
            return state.listeners
        }
        for listener in listeners { listener.continuation.yield() }
    }

    /// Whether changes or a failure wait.
    var hasArrivals: Bool { state.withLock { $0.changes != nil || $0.failure != nil } }

    /// Removes and returns the waiting failure.
    func takeFailure() -> ObjectStorageError? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }

    /// Removes and returns the waiting changes.
    func takeChanges() -> StoreChanges? {
        state.withLock { state in
            defer { state.changes = nil }
            return state.changes
        }
    }

    /// Puts back changes that could not be merged, before any later ones. Listeners are not notified, because
    /// the caller already has the error.
    func putBack(_ changes: StoreChanges) {
        state.withLock { state in
            let later = state.changes
            state.changes = changes
            if let later { state.changes?.append(later) }
        }
    }

    /// Returns a sequence with an element whenever changes arrive; several arrivals before the next wait are
    /// one element.
    ///
    /// - Parameter monitor: The monitor that detects external changes, which is retained as long as the
    ///   sequence is in use.
    func arrivals(through monitor: ExternalChangeMonitor?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (number, isWaiting) = state.withLock { state in
            state.lastNumber += 1
            state.listeners.append((state.lastNumber, continuation))
            return (state.lastNumber, state.changes != nil || state.failure != nil)
        }
        continuation.onTermination = { [weak self, monitor] _ in
            _ = monitor
            self?.state.withLock { state in state.listeners.removeAll { $0.number == number } }
        }
        if isWaiting { continuation.yield() }
        return stream
    }
}

/// The mailboxes of a container's contexts.
final class MailboxRegistry: Sendable {
    private struct Entry {
        weak var mailbox: ContextMailbox?
    }

    private let entries = LockedValue<[Entry]>([])

    /// Registers a mailbox for later deliveries, for as long as it exists.
    func add(_ mailbox: ContextMailbox) {
        entries.withLock { entries in
            entries.removeAll { $0.mailbox == nil }
            entries.append(Entry(mailbox: mailbox))
        }
    }

    /// Whether any context has observers of changes.
    var areObserved: Bool { entries.withLock { $0.contains { $0.mailbox?.isObserved == true } } }

    /// Delivers changes to all mailboxes except the sender's.
    func deliver(_ changes: StoreChanges, from sender: ContextMailbox? = nil) {
        guard !changes.isEmpty else { return }
        let mailboxes = entries.withLock { $0.compactMap(\.mailbox) }
        for mailbox in mailboxes where mailbox !== sender { mailbox.post(changes) }
    }

    /// Delivers to all mailboxes the reason why no more changes can be delivered.
    func deliver(_ failure: ObjectStorageError) {
        let mailboxes = entries.withLock { $0.compactMap(\.mailbox) }
        for mailbox in mailboxes { mailbox.post(failure) }
    }
}
