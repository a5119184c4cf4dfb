import Foundation
import Mutants

/// The name of a cache: data, never a path.
///
/// Names are compared in Unicode's composed form (NFC), so that “é” written in two ways is one name.
public struct CacheName: Hashable, Sendable {
    /// The name in NFC.
    public let rawValue: String

    /// Creates a name after validating it.
    ///
    /// - Parameter name: The text of the name, which is converted to NFC.
    /// - Throws: ``CacheNameError`` unless it has 1 to 255 UTF-8 bytes in NFC and no control characters.
    public init(_ name: String) throws(CacheNameError) {
        var name = name
        if Mutant.truncatedName.isPlanted { name = String(name.prefix { $0 != "\0" }) }
        // ASCII is composed already; the first call of Foundation's function takes a hundred microseconds.
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let composed = isASCII ? name : name.precomposedStringWithCanonicalMapping
        guard !composed.isEmpty else { throw CacheNameError(name: name, reason: .empty) }
        guard composed.utf8.count <= 255 else {
            throw CacheNameError(name: name, reason: .tooLong(byteCount: composed.utf8.count))
        }
        if let control = composed.unicodeScalars.first(where: {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
        }) {
            throw CacheNameError(name: name, reason: .controlCharacter(control.value))
        }
        rawValue = composed
    }
}

/// The error of a text that cannot be the name of a cache.
public struct CacheNameError: Error, Hashable, Sendable {
    /// The reason why the text is invalid.
    public enum Reason: Hashable, Sendable {
        /// The text is empty.
        case empty
        /// The text has more than 255 UTF-8 bytes.
        case tooLong(byteCount: Int)
        /// The text contains a control character: U+0000 to U+001F, or U+007F to U+009F.
        case controlCharacter(UInt32)
    }

    /// The text.
    public let name: String
    /// The reason why the text is invalid.
    public let reason: Reason
}

extension CacheNameError: CustomStringConvertible {
    /// A description of the error and its remedy.
    public var description: String {
        switch reason {
        case .empty: "A cache name must not be empty. Pass a name, or nil for no cache."
        case .tooLong(let byteCount):
            "The cache name has \(byteCount) UTF-8 bytes; at most 255 are allowed. Shorten it."
        case .controlCharacter(let value):
            "The cache name contains the control character U+\(String(value, radix: 16, uppercase: true)). Remove it."
        }
    }
}

extension CacheName: ExpressibleByStringLiteral, Comparable, CustomStringConvertible {
    /// Creates a name from a literal. An invalid name is a programmer error and traps.
    ///
    /// - Parameter name: The text of the name.
    public init(stringLiteral name: String) {
        do {
            try self.init(name)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Returns whether the first name precedes the second in the order of their characters.
    ///
    /// - Parameters:
    ///   - first: A name.
    ///   - second: Another name.
    public static func < (first: CacheName, second: CacheName) -> Bool { first.rawValue < second.rawValue }

    /// The name.
    public var description: String { rawValue }
}
