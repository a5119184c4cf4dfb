import InternalUtilities

/// The concrete entities of the rows that were read from one table, where entities inherit from each other.
///
/// A deleted row can thereby still be reported under the entity name that it had. The cache may be used from
/// any thread.
package final class ConcreteEntityCache: Sendable {
    private struct State {
        var names: [String] = []
        /// The positions in `names`, by primary key.
        var namePositions: [Int64: UInt16] = [:]
    }

    private let state = LockedValue(State())

    /// Creates an empty cache.
    package init() {}

    /// Stores the entities of rows that exist, or existed a moment ago.
    ///
    /// - Parameter isCertain: Whether these identities replace entries that the cache already has.
    /// - Complexity: O(*n*) in the number of identities.
    package func note(_ objectIDs: some Sequence<ObjectID>, isCertain: Bool = true) {
        state.withLock { state in
            for objectID in objectIDs where isCertain || state.namePositions[objectID.unsavedKey] == nil {
                let name = objectID.entityName
                let position = state.names.firstIndex(of: name) ?? state.names.endIndex
                if position == state.names.endIndex { state.names.append(name) }
                state.namePositions[objectID.unsavedKey] = UInt16(position)
            }
        }
    }

    /// Stores the entities of objects. Faults are skipped, because the entity of a row that was not read is
    /// not certain.
    func note(_ objects: some Sequence<ManagedObject>) {
        note(objects.lazy.filter { !$0.isFault }.map(\.objectID))
    }

    /// Returns the name of the entity of each row; nil for a row that the cache does not have.
    func names(ofKeys keys: [Int64]) -> [String?] {
        state.withLock { state in keys.map { key in state.namePositions[key].map { state.names[Int($0)] } } }
    }
}
