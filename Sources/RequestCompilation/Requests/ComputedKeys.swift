import InternalUtilities
import ObjectModel

/// The registry of the key functions that the process has used, by the numbers that SQL uses for them.
///
/// Entries are never removed, because a statement may use them until the process ends.
final class ComputedKeys: Sendable {
    /// A registered function.
    struct Entry: Sendable {
        /// The type, version and stored properties by which functions are compared.
        struct Identity: Hashable, Sendable {
            /// The type of the function.
            let type: ObjectIdentifier
            /// The version of the function.
            let version: Int
            /// The stored properties, encoded as JSON.
            let parameters: [UInt8]
        }

        /// The identity of the function.
        let identity: Identity
        /// The name of the function in fingerprints.
        let name: String
        /// The name of the function's type, for error messages.
        let typeName: String
        /// The function, on stored values.
        let key: @Sendable (StoredValue) -> StoredValue
    }

    /// The registry of the process.
    static let shared = ComputedKeys()

    private struct State {
        var entries: [Entry] = []
        var numbers: [Entry.Identity: Int64] = [:]
        /// The first type registered for each name.
        var owners: [String: (type: ObjectIdentifier, typeName: String)] = [:]
    }

    private let state = LockedValue(State())

    /// Returns the number of a function; equal functions have the same number.
    ///
    /// - Returns: The number, and the name of another type with the same function name, if any.
    func register(_ entry: Entry) -> (number: Int64, otherTypeName: String?) {
        state.withLock { state in
            let owner = state.owners[entry.name] ?? (entry.identity.type, entry.typeName)
            state.owners[entry.name] = owner
            let other = owner.type == entry.identity.type ? nil : owner.typeName
            if let number = state.numbers[entry.identity] { return (number, other) }
            let number = Int64(state.entries.count)
            state.entries.append(entry)
            state.numbers[entry.identity] = number
            return (number, other)
        }
    }

    /// Returns the function with a number; nil for an unknown number.
    func function(_ number: Int64) -> (@Sendable (StoredValue) -> StoredValue)? {
        state.withLock { state in
            Int(exactly: number).flatMap { state.entries.indices.contains($0) ? state.entries[$0].key : nil }
        }
    }
}
