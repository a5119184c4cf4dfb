public import Foundation

/// Makes bytes of the values of transformable attributes, and values of bytes.
///
/// A transformer has a name, by which models refer to it, and a type of values. It is never told by the bytes
/// what type to make, so bytes that somebody forged cannot make it create objects of their choice.
///
/// ```swift
/// struct Rectangle: Hashable { var x, y, width, height: Double }
///
/// enum RectangleTransformer: AttributeTransformer {
///     static let name = "Rectangle"
///     static func data(from rectangle: Rectangle) -> Data { … }
///     static func value(from data: Data) throws -> Rectangle { … }
/// }
/// ```
public protocol AttributeTransformer<Value>: SendableMetatype {
    /// The type of the values.
    associatedtype Value
    /// The name by which models refer to the transformer. Do not change it once there are stores.
    static var name: String { get }
    /// The bytes of a value; the same for the same value, because changes are found by comparing them.
    static func data(from value: Value) throws -> Data
    /// The value of some bytes. Bytes of another origin are an error.
    static func value(from data: Data) throws -> Value
}

/// Keeps any `Codable` value as JSON: arrays, dictionaries, structures of your own.
public enum CodableTransformer<Value: Codable>: AttributeTransformer {
    /// “codable”, for all types of values: a typed property knows its own.
    public static var name: String { "codable" }

    /// The value as JSON with sorted keys.
    ///
    /// - Throws: `EncodingError`, for instance of a number that is not finite.
    public static func data(from value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// The value of some JSON.
    ///
    /// - Throws: `DecodingError`; ``TransformationError`` for more than
    ///   ``TransformationError/maximumByteCount`` bytes.
    public static func value(from data: Data) throws -> Value {
        try TransformationError.checkByteCount(data)
        return try JSONDecoder().decode(Value.self, from: data)
    }
}

/// Keeps bytes as they are.
public enum RawDataTransformer: AttributeTransformer {
    /// “rawData”.
    public static var name: String { "rawData" }
    /// The bytes.
    public static func data(from value: Data) -> Data { value }
    /// The bytes.
    public static func value(from data: Data) -> Data { data }
}

/// Why bytes could not be made into a value.
public struct TransformationError: Error, CustomStringConvertible {
    /// What is wrong with the bytes.
    public let description: String

    /// Makes an error for a transformer to throw.
    public init(_ description: String) { self.description = description }

    /// The most bytes that the built-in transformers decode: 64 MiB.
    public static let maximumByteCount = 64 << 20

    /// Refuses more bytes than a transformer should decode.
    public static func checkByteCount(_ data: Data) throws(TransformationError) {
        guard data.count <= maximumByteCount else {
            throw TransformationError(
                "\(data.count) bytes are more than the \(maximumByteCount) that are decoded")
        }
    }
}
