import InternalUtilities
import Synchronization

/// The read-only connections of a container.
///
/// One connection serves all contexts that are not pinned. A pinned context takes its own connection: an idle
/// one if possible, so that a program whose only context is pinned opens the store once.
final class StoreReaders: Sendable {
    private struct State {
        /// The connection of the contexts that are not pinned; nil while it is lent to a pinned one.
        var shared: ReadConnection?
        /// A returned connection, for the next pinned context.
        var idle: ReadConnection?
        /// Whether the store is monitored through the shared connection, which is then not lent.
        var isWatched = false
    }

    private let state: Mutex<State>
    /// The first connection, which opens further ones to the same file even while it is not used for reading.
    private let first: ReadConnection

    init(_ reader: ReadConnection) {
        first = reader
        state = Mutex(State(shared: reader))
    }

    /// The method of reading the store without locks; nil if it is read with locks.
    var lockless: LocklessAccess? { first.lockless }
    /// Whether the store is opened read-only.
    var isReadOnly: Bool { first.options.isReadOnly }
    /// Whether the connections read a copy of the store.
    var isPrivateCopy: Bool { first.isPrivateCopy }

    /// Checks that the path still leads to the open file.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func checkFile() throws(ObjectStorageError) { try first.checkFile() }

    /// Returns the connection of the contexts that are not pinned.
    private func shared() throws -> ReadConnection {
        try state.withLock { state in
            if let shared = state.shared { return shared }
            let shared = try state.idle ?? first.another()
            (state.shared, state.idle) = (shared, nil)
            return shared
        }
    }

    /// Returns the connection through which the store is monitored, and which is not lent from then on; nil
    /// if it cannot be opened.
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

    /// Runs a closure in a read transaction.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        while true {
            // The connection may be lent before this thread uses it.
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
