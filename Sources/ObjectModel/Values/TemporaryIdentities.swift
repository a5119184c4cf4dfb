import InternalUtilities

/// The numbers of a container's unsaved objects, and those of their identities that are still in use. Can be
/// used from any thread.
///
/// An object whose identity is not requested before its save takes no memory here; a requested identity takes
/// memory only while a reference to it exists. An import of a million objects must not consume memory for
/// identities.
package final class TemporaryIdentities: Sendable {
    /// Creates the identities of a container, none of which is in use.
    package init() {}

    private struct State {
        var lastNumber: UInt64 = 0
        var held: [UInt64: Entry] = [:]

        func identity(_ number: UInt64) -> TemporaryIdentity? {
            // Swift 6.3 compiles optional chaining to a weak property into code that crashes.
            guard let entry = held[number] else { return nil }
            return entry.identity
        }
    }

    private struct Entry {
        weak var identity: TemporaryIdentity?
        let id: ObjectIdentifier
    }

    /// The count of numbers that a context reserves at a time.
    private static let blockSize: UInt64 = 1_024
    private let state = LockedValue(State())

    /// Whether no identity is in use.
    package var isEmpty: Bool { state.withLock { $0.held.isEmpty } }

    /// Reserves numbers that no object has, larger than all earlier ones.
    package func reserveNumbers() -> ClosedRange<UInt64> {
        state.withLock { state in
            let first = state.lastNumber + 1
            state.lastNumber += Self.blockSize
            return first...state.lastNumber
        }
    }

    /// Returns the identity with a number: the one in use, or a new one.
    package func identity(_ number: UInt64) -> TemporaryIdentity {
        state.withLock { state in
            if let identity = state.identity(number) { return identity }
            let identity = TemporaryIdentity(number: number, of: self)
            state.held[number] = Entry(identity: identity, id: ObjectIdentifier(identity))
            return identity
        }
    }

    /// Records the key that a save gave the object with a number, for all copies of its identity.
    package func note(_ key: Int64, of number: UInt64) {
        // The identity must not be deallocated under the lock, because its deinitializer takes the lock.
        let identity = state.withLock { $0.identity(number) }
        identity?.note(key)
    }

    func forget(_ number: UInt64, _ id: ObjectIdentifier) {
        // The number may have been requested again in the meantime.
        state.withLock { if $0.held[number]?.id == id { $0.held[number] = nil } }
    }
}
