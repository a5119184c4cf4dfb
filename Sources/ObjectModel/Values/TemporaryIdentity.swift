import InternalUtilities

/// The identity of an object that was not saved when somebody asked for it.
///
/// All who hold the identity share this, so that after the save it leads each of them to the row.
final class TemporaryIdentity: Sendable {
    /// The number, which no other object of the container has.
    let number: UInt64
    private let identities: TemporaryIdentities?
    private let savedKey = LockedValue<Int64?>(nil)

    /// - Parameter identities: Who tells of the object's save; nil for a number that somebody wrote down,
    ///   which leads nowhere.
    init(number: UInt64, of identities: TemporaryIdentities?) {
        self.number = number
        self.identities = identities
    }

    deinit { identities?.forget(number, ObjectIdentifier(self)) }

    /// The key that a save gave the object; nil before.
    var primaryKey: Int64? { savedKey.withLock { $0 } }

    fileprivate func note(_ key: Int64) { savedKey.withLock { $0 = key } }
}

/// The numbers that a container's unsaved objects have, and the identities with such that somebody holds. It
/// may be used from any thread.
///
/// An object whose identity nobody asks for before its save leaves nothing here, and one that somebody asked
/// for no longer than he holds it: an import of a million objects is to cost no memory for this.
final class TemporaryIdentities: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var held: [UInt64: Entry] = [:]

        func identity(_ number: UInt64) -> TemporaryIdentity? {
            // Swift 6.3 makes code that crashes of optional chaining to a weak property.
            guard let entry = held[number] else { return nil }
            return entry.identity
        }
    }

    private struct Entry {
        weak var identity: TemporaryIdentity?
        let id: ObjectIdentifier
    }

    /// How many numbers a context gets at a time.
    private static let blockSize: UInt64 = 1_024
    private let state = LockedValue(State())

    /// Whether nobody holds an identity.
    var isEmpty: Bool { state.withLock { $0.held.isEmpty } }

    /// Numbers that no object has, above all that were given before.
    func reserveNumbers() -> ClosedRange<UInt64> {
        state.withLock { state in
            let first = state.lastNumber + 1
            state.lastNumber += Self.blockSize
            return first...state.lastNumber
        }
    }

    /// The identity with a number: the one that somebody holds, or a new one.
    func identity(_ number: UInt64) -> TemporaryIdentity {
        state.withLock { state in
            if let identity = state.identity(number) { return identity }
            let identity = TemporaryIdentity(number: number, of: self)
            state.held[number] = Entry(identity: identity, id: ObjectIdentifier(identity))
            return identity
        }
    }

    /// Tells those who hold the identity with a number which key a save gave the object.
    func note(_ key: Int64, of number: UInt64) {
        // It must not be freed under the lock.
        let identity = state.withLock { $0.identity(number) }
        identity?.note(key)
    }

    fileprivate func forget(_ number: UInt64, _ id: ObjectIdentifier) {
        // Somebody may have asked for the number meanwhile.
        state.withLock { if $0.held[number]?.id == id { $0.held[number] = nil } }
    }
}
