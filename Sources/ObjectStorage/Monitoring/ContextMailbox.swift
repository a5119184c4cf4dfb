import InternalUtilities

/// Where the saves of others leave word for a context.
///
/// A context is confined, so nobody may touch it from elsewhere: changes wait here until the context looks.
final class ContextMailbox: Sendable {
    private struct State {
        var changes: StoreChanges?
        var failure: ObjectStorageError?
        var listeners: [(number: Int, continuation: AsyncStream<Void>.Continuation)] = []
        var lastNumber = 0
    }

    /// From this number of waiting objects on, only their entities are remembered.
    private static let maximumCount = 10_000
    private let state = LockedValue(State())

    deinit {
        for listener in state.withLock({ $0.listeners }) { listener.continuation.finish() }
    }

    /// Leaves changes. Called from any thread.
    func post(_ changes: StoreChanges) {
        tellListeners { state in
            if state.changes?.append(changes) == nil { state.changes = changes }
            if let waiting = state.changes, waiting.listedCount > Self.maximumCount {
                state.changes = waiting.byEntity
            }
        }
    }

    /// Leaves word of why changes can come no more. Called from any thread.
    func post(_ failure: ObjectStorageError) { tellListeners { $0.failure = failure } }

    private func tellListeners(_ body: (inout State) -> Void) {
        let listeners = state.withLock { state in
            body(&state)
            return state.listeners
        }
        for listener in listeners { listener.continuation.yield() }
    }

    /// Takes out the failure that is waiting.
    func takeFailure() -> ObjectStorageError? {
        state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
    }

    /// Takes out what is waiting.
    func takeChanges() -> StoreChanges? {
        state.withLock { state in
            defer { state.changes = nil }
            return state.changes
        }
    }

    /// Puts back what was taken out and could not be merged, before what has come since. Nobody is told:
    /// whoever took it knows.
    func putBack(_ changes: StoreChanges) {
        state.withLock { state in
            let later = state.changes
            state.changes = changes
            if let later { state.changes?.append(later) }
        }
    }

    /// A sequence with an element whenever changes have come; several that nobody waited for are one.
    ///
    /// - Parameter monitor: What makes changes come, held as long as somebody waits for them.
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

    /// Has a mailbox receive what is delivered from now on, as long as it lives.
    func add(_ mailbox: ContextMailbox) {
        entries.withLock { entries in
            entries.removeAll { $0.mailbox == nil }
            entries.append(Entry(mailbox: mailbox))
        }
    }

    /// Delivers changes to all mailboxes but the sender's.
    func deliver(_ changes: StoreChanges, from sender: ContextMailbox? = nil) {
        guard !changes.isEmpty else { return }
        let mailboxes = entries.withLock { $0.compactMap(\.mailbox) }
        for mailbox in mailboxes where mailbox !== sender { mailbox.post(changes) }
    }

    /// Delivers to all mailboxes why changes can come no more.
    func deliver(_ failure: ObjectStorageError) {
        let mailboxes = entries.withLock { $0.compactMap(\.mailbox) }
        for mailbox in mailboxes { mailbox.post(failure) }
    }
}
