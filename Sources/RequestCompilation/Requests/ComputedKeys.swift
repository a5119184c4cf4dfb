import InternalUtilities

/// The key functions that the process has used, by the numbers that stand for them in SQL.
///
/// None is ever taken out: a statement may use it as long as the process runs.
final class ComputedKeys: Sendable {
    struct Entry: Sendable {
        struct Identity: Hashable, Sendable {
            let type: ObjectIdentifier
            let version: Int
            let parameters: [UInt8]
        }

        let identity: Identity
        let name: String
        let typeName: String
        let key: @Sendable (StoredValue) -> StoredValue
    }

    static let shared = ComputedKeys()

    private struct State {
        var entries: [Entry] = []
        var numbers: [Entry.Identity: Int64] = [:]
        /// The first type of each name.
        var owners: [String: (type: ObjectIdentifier, typeName: String)] = [:]
    }

    private let state = LockedValue(State())

    /// Gives a function its number, the same for an equal one.
    ///
    /// - Returns: The number, and the name of another type whose functions have the same name.
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

    /// The function with a number; nil if there is none.
    func function(_ number: Int64) -> (@Sendable (StoredValue) -> StoredValue)? {
        state.withLock { state in
            Int(exactly: number).flatMap { state.entries.indices.contains($0) ? state.entries[$0].key : nil }
        }
    }
}
