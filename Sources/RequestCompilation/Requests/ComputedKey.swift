import Foundation
package import ObjectModel

/// A ``KeyFunction`` without its generic types, as part of a request.
///
/// Two are equal if they have the same type, version and stored properties.
package struct ComputedKey: Sendable {
    /// The name of the function.
    package let name: String
    /// The version of the function.
    package let version: Int
    /// The stored properties, encoded as JSON; empty for a function without any.
    package let parameters: [UInt8]
    /// The type of the property that the function takes.
    package let valueType: AttributeType
    /// The type of the keys.
    package let keyType: AttributeType
    /// The index among the functions of the process, by which SQL refers to it.
    package let number: Int64
    /// The reason why the function cannot be used; nil if it can.
    package let defect: String?

    /// Encodes and registers a function.
    init<Function: KeyFunction>(_ function: Function) {
        name = Function.name
        version = Function.version
        valueType = Function.Value.attributeType
        keyType = Function.Key.attributeType
        var defect: String?
        var parameters: [UInt8] = []
        // Encoding loads much of Foundation, so a function without stored properties is not encoded.
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
        if let other { defect = "\(other) has the same name; give each type of function a different name" }
        self.defect = defect
    }
}

extension ComputedKey: Hashable {
    /// Returns whether both are the same function with the same stored properties.
    package static func == (first: Self, second: Self) -> Bool { first.number == second.number }

    /// Hashes the function.
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension ComputedKey: CustomStringConvertible {
    /// The function as readable text: `decade, version 1`, with its stored properties if it has any.
    package var description: String {
        let words = "\(name), version \(version)"
        return parameters.isEmpty ? words : "\(words), \(String(decoding: parameters, as: UTF8.self))"
    }
}
