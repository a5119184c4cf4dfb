import Foundation

/// A ``KeyFunction`` without its types, as requests carry it.
///
/// Two are equal if they are of the same type and version and have the same stored properties.
package struct ComputedKey: Sendable {
    /// The name of the function.
    package let name: String
    /// The version of the function.
    package let version: Int
    /// The stored properties, encoded; empty for a function that has none.
    package let parameters: [UInt8]
    /// The type of the property that it takes.
    package let valueType: AttributeType
    /// The type of the keys.
    package let keyType: AttributeType
    /// The place among the functions of the process, by which SQL names it.
    let number: Int64
    /// Why it cannot be used.
    let defect: String?

    init<Function: KeyFunction>(_ function: Function) {
        name = Function.name
        version = Function.version
        valueType = Function.Value.attributeType
        keyType = Function.Key.attributeType
        var defect: String?
        var parameters: [UInt8] = []
        // Encoding loads much of Foundation.
        if MemoryLayout<Function>.size > 0 {
            do {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                encoder.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
                parameters = Array(try encoder.encode(function))
            } catch {
                defect = "its stored properties cannot be encoded (\(error))"
            }
        }
        self.parameters = parameters
        let entry = ComputedKeys.Entry(
            identity: .init(
                type: ObjectIdentifier(Function.self), version: Function.version, parameters: parameters),
            name: Function.name, typeName: String(reflecting: Function.self)
        ) { stored in Function.Value(storedValue: stored).map { function.key(for: $0).storedValue } ?? .null }
        let other: String?
        (number, other) = ComputedKeys.shared.register(entry)
        if let other { defect = "\(other) has the same name; give each type of function a name of its own" }
        self.defect = defect
    }
}

extension ComputedKey: Hashable {
    /// Whether two are the same function with the same stored properties.
    package static func == (first: Self, second: Self) -> Bool { first.number == second.number }

    /// Hashes the function.
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ComputedKey: CustomStringConvertible {
    /// The function in words: `decade, version 1`, with its stored properties if it has any.
    package var description: String {
        let words = "\(name), version \(version)"
        return parameters.isEmpty ? words : "\(words), \(String(decoding: parameters, as: UTF8.self))"
    }
}

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
