import InternalUtilities
import Synchronization

/// The connections of a container that only read.
///
/// One serves all contexts that are not pinned. A context that is pinned takes a connection for itself: an idle
/// one if there is one, so that a program whose only context is pinned opens the store once.
final class StoreReaders: Sendable {
    private struct State {
        /// The connection of the contexts that are not pinned; nil while it is lent to one that is.
        var shared: ReadConnection?
        /// A connection that was given back, for the next context that is pinned.
        var idle: ReadConnection?
        /// Whether the store is watched through the shared connection, which then stays.
        var isWatched = false
    }

    private let state: Mutex<State>
    /// Opens further connections to the same file, whether or not it reads.
    private let first: ReadConnection

    init(_ reader: ReadConnection) {
        first = reader
        state = Mutex(State(shared: reader))
    }

    /// The way in which the store is read without locks; nil where it is read with them.
    var lockless: LocklessAccess? { first.lockless }

    /// Makes sure that the path still leads to the file that is open.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func checkFile() throws(ObjectStorageError) { try first.checkFile() }

    /// The connection of the contexts that are not pinned.
    private func shared() throws -> ReadConnection {
        try state.withLock { state in
            if let shared = state.shared { return shared }
            let shared = try state.idle ?? first.another()
            (state.shared, state.idle) = (shared, nil)
            return shared
        }
    }

    /// The connection to monitor the store through, which is not lent from then on; nil if it cannot be opened.
    func watched() -> ReadConnection? {
        do {
            let shared = try shared()
            return state.withLock { state in
                guard state.shared === shared else { return nil }
                state.isWatched = true
                return shared
            }
        } catch {
            return nil
        }
    }

    /// Runs a closure in one transaction that reads.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        while true {
            // The connection may be lent before this thread has it.
            if let result = try shared().readUnlessHeld(body) { return result }
        }
    }

    /// Runs a closure while no thread reads for a context that is not pinned.
    func whileNotReading<Result>(_ body: () throws -> Result) throws -> Result {
        guard let shared = state.withLock(\.shared) else { return try body() }
        return try shared.whileNotReading(body)
    }

    /// Lends a connection to a pinned context.
    ///
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file was replaced.
    func take() throws -> ReadConnection {
        let known = state.withLock { state -> ReadConnection? in
            if let idle = state.idle {
                state.idle = nil
                return idle
            }
            guard !state.isWatched, let shared = state.shared else { return nil }
            state.shared = nil
            return shared
        }
        return try known ?? first.another()
    }

    /// Ends the transaction of a connection, and keeps the connection for the next use.
    func giveBack(_ reader: ReadConnection) {
        guard reader.letGo() else { return }
        state.withLock { state in
            if state.shared == nil {
                state.shared = reader
            } else if state.idle == nil {
                state.idle = reader
            }
        }
    }
}
