import Foundation
import InternalUtilities
package import ObjectModel
import Synchronization

#if canImport(_FoundationICU)
import _FoundationICU
#endif

/// The order of texts in a locale: Unicode's collation, with digits compared by their numeric value.
///
/// Texts are not compared directly: each has a key, and the keys are compared by their bytes. Foundation's
/// comparisons are inconsistent, and in some locales the collation's own comparison is as well (decision
/// 0009); a comparison of bytes is always consistent.
package struct LocalizedOrder: Sendable {
    /// The version of the keys. Increase it when the order changes for a reason other than a new version of
    /// the collation.
    private static let format = 2

    /// Checks that a text can be a locale's identifier.
    ///
    /// - Throws: ``ObjectStorageError`` for an identifier with characters that no identifier has.
    package static func checkIdentifier(_ locale: String) throws(ObjectStorageError) {
        let isPlausible = locale.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_-@=;.".utf8.contains(byte)
            }
        }
        guard isPlausible, (1...80).contains(locale.utf8.count) else {
            throw ObjectStorageError(
                .invalidRequest, "“\(locale)” is not a locale identifier. Use one such as “de_DE” or “sv”.")
        }
    }

    /// Returns the order under a locale. It is created once in a process, and never freed.
    package static func under(locale identifier: String) -> LocalizedOrder {
        orders.withLock { orders in
            if let order = orders[identifier] { return order }
            let order = LocalizedOrder(identifier: identifier)
            orders[identifier] = order
            return order
        }
    }

    private static let orders = Mutex<[String: LocalizedOrder]>([:])

    /// Returns the key of a text.
    package func key(of text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { withKey(of: UnsafeRawBufferPointer($0)) { Array($0) } }
    }

    #if canImport(_FoundationICU)
    /// The version of the order, apart from the locale: a cache with another version is not used.
    package static let version: String = {
        var version: UVersionInfo = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &version) { bytes in
            swift_u_getVersion(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        return "\(format) \(version.0).\(version.1).\(version.2).\(version.3)"
    }()

    /// The collator; nil if there was no memory for it. It is never closed or changed after its creation, so
    /// any thread may use it.
    package nonisolated(unsafe) let collator: OpaquePointer?

    private init(identifier: String) {
        var status = U_ZERO_ERROR
        collator = swift_ucol_open(identifier, &status)
        swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status)
        swift_ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
    }

    /// Calls `body` with the key of a text in UTF-8. Only texts with the same bytes have the same key.
    ///
    /// The collation's key ends in a zero byte and contains none before it, so the appended text matters only
    /// for equal keys: texts that the collation does not distinguish are ordered by their bytes.
    ///
    /// - Complexity: O(length), about half a microsecond for a title.
    package func withKey<Result>(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result)
        -> Result
    {
        guard let collator else { return body(text) }
        // A text has at most as many UTF-16 units as UTF-8 bytes, even if invalid bytes become U+FFFD.
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: text.count + 1) { units in
            var status = U_ZERO_ERROR
            var count: Int32 = 0
            swift_u_strFromUTF8WithSub(
                units.baseAddress, Int32(units.count), &count,
                text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), 0xFFFD, nil, &status
            )
            /// Returns nil and the needed length if the key is longer than `room`.
            func key(in room: Int) -> (result: Result?, needed: Int) {
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room + text.count) { key in
                    let length = Int(
                        swift_ucol_getSortKey(
                            collator, units.baseAddress, count, key.baseAddress, Int32(room)))
                    guard length <= room else { return (nil, length) }
                    let bytes = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(key)[..<(length + text.count)])
                    UnsafeMutableRawBufferPointer(rebasing: bytes[length...]).copyMemory(from: text)
                    return (body(UnsafeRawBufferPointer(bytes)), length)
                }
            }
            let first = key(in: 2 * text.count + 32)
            return first.result ?? key(in: first.needed).result ?? body(text)
        }
    }
    #else
    /// The version of the order, apart from the locale: a cache with another version is not used.
    package static let version = "\(format) folded"

    private let locale: Locale

    private init(identifier: String) { locale = Locale(identifier: identifier) }

    /// Calls `body` with the key of a text in UTF-8. Only texts with the same bytes have the same key.
    ///
    /// Apple's systems do not make their collation available to programs: there, texts are ordered by their
    /// letters without marks and case.
    package func withKey<Result>(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result)
        -> Result
    {
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
        let folded = String(decoding: text, as: UTF8.self).folding(options: options, locale: locale)
        return (folded.utf8 + [0] + text).withUnsafeBytes(body)
    }
    #endif
}
