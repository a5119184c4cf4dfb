public import Foundation

/// Encodes the values of transformable attributes as bytes, and decodes them.
///
/// A transformer has a name, by which models refer to it, and a type of values. The bytes never determine
/// which type is decoded, so forged bytes cannot create objects of a type of the forger's choice.
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
    /// The name by which models refer to the transformer. It must not change once stores exist.
    static var name: String { get }
    /// Returns the bytes of a value. Equal values must give equal bytes, because changes are found by
    /// comparing them.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: An error for a value that cannot be encoded.
    static func data(from value: Value) throws -> Data
    /// Returns the value that some bytes encode.
    ///
    /// - Parameter data: The bytes, which may be damaged or forged.
    /// - Throws: An error for bytes that this transformer did not make.
    static func value(from data: Data) throws -> Value
}

/// Stores any `Codable` value as JSON: arrays, dictionaries, custom structures.
public enum CodableTransformer<Value: Codable>: AttributeTransformer {
    /// “codable”, for all types of values; a typed property knows its own type.
    public static var name: String { "codable" }

    /// Returns the value as JSON with sorted keys.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: `EncodingError`, for example for a number that is not finite.
    public static func data(from value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Returns the value that the JSON encodes.
    ///
    /// - Parameter data: The JSON as UTF-8.
    /// - Throws: `DecodingError`; ``TransformationError`` for more than
    ///   ``TransformationError/maximumByteCount`` bytes.
    public static func value(from data: Data) throws -> Value {
        try TransformationError.checkByteCount(data)
        return try JSONDecoder().decode(Value.self, from: data)
    }
}

/// Stores bytes unchanged.
public enum RawDataTransformer: AttributeTransformer {
    /// “rawData”.
    public static var name: String { "rawData" }
    /// Returns the bytes unchanged.
    ///
    /// - Parameter value: The bytes.
    public static func data(from value: Data) -> Data { value }
    /// Returns the bytes unchanged.
    ///
    /// - Parameter data: The bytes.
    public static func value(from data: Data) -> Data { data }
}

/// The error for bytes that cannot be decoded as a value.
public struct TransformationError: Error, CustomStringConvertible {
    /// A description of the error in the bytes.
    public let description: String

    /// Creates an error for a transformer to throw.
    ///
    /// - Parameter description: The error in the bytes, as part of a sentence.
    public init(_ description: String) { self.description = description }

    /// The largest number of bytes that the built-in transformers decode: 64 MiB.
    public static let maximumByteCount = 64 << 20

    /// Throws an error if the bytes exceed the limit for decoding.
    ///
    /// - Parameter data: The bytes to decode.
    /// - Throws: ``TransformationError`` for more than ``maximumByteCount`` bytes.
    public static func checkByteCount(_ data: Data) throws(TransformationError) {
        guard data.count <= maximumByteCount else {
            throw TransformationError(
                "\(data.count) bytes exceed the limit of \(maximumByteCount) bytes for decoding")
        }
    }
}
