import Foundation
import InternalUtilities
import Synchronization

#if canImport(_FoundationICU)
import _FoundationICU
#endif

/// The order of texts that people of a place expect: Unicode's collation under a locale, with digits by their
/// number.
///
/// Texts are not compared but given keys, whose bytes have the order. Foundation's comparisons contradict
/// themselves, and so does the collation's own comparison in some locales (decision 0009); comparing bytes
/// cannot.
struct LocalizedOrder: Sendable {
    /// Rises when the order changes for another reason than a new version of the collation.
    private static let format = 2

    /// Makes sure that a locale's identifier can be one.
    ///
    /// - Throws: ``ObjectStorageError`` for an identifier with characters that none has.
    static func checkIdentifier(_ locale: String) throws(ObjectStorageError) {
        let isPlausible = locale.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_-@=;.".utf8.contains(byte)
            }
        }
        guard isPlausible, (1...80).contains(locale.utf8.count) else {
            throw ObjectStorageError(
                .invalidRequest, "“\(locale)” is no locale identifier. Write one such as “de_DE” or “sv”.")
        }
    }

    /// The order under a locale: made once in a process, and kept.
    static func under(locale identifier: String) -> LocalizedOrder {
        orders.withLock { orders in
            if let order = orders[identifier] { return order }
            let order = LocalizedOrder(identifier: identifier)
            orders[identifier] = order
            return order
        }
    }

    private static let orders = Mutex<[String: LocalizedOrder]>([:])

    /// The key of a text.
    func key(of text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { withKey(of: UnsafeRawBufferPointer($0)) { Array($0) } }
    }

    #if canImport(_FoundationICU)
    /// What the order of texts depends on beside the locale: a cached order of another version is not used.
    static let version: String = {
        var version: UVersionInfo = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &version) { bytes in
            swift_u_getVersion(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        return "\(format) \(version.0).\(version.1).\(version.2).\(version.3)"
    }()

    /// Never closed and never changed once made, so any thread may use it. Nil if there was no memory for it.
    nonisolated(unsafe) let collator: OpaquePointer?

    private init(identifier: String) {
        var status = U_ZERO_ERROR
        collator = swift_ucol_open(identifier, &status)
        swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status)
        swift_ucol_setAttribute(collator, UCOL_NORMALIZATION_MODE, UCOL_ON, &status)
    }

    /// Gives the key of a text in UTF-8. Only texts of the same bytes have the same key.
    ///
    /// The collation's key ends in a zero and has none before, so that what is appended counts for equal keys
    /// alone: texts that people do not tell apart stand in the order of their bytes.
    ///
    /// - Complexity: O(length), about half a microsecond for a title.
    func withKey<Result>(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result)
        -> Result
    {
        guard let collator else { return body(text) }
        // No text has more UTF-16 units than UTF-8 bytes, also where bytes that are not valid become U+FFFD.
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: text.count + 1) { units in
            var status = U_ZERO_ERROR
            var count: Int32 = 0
            swift_u_strFromUTF8WithSub(
                units.baseAddress, Int32(units.count), &count,
                text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), 0xFFFD, nil, &status
            )
            /// Nil if there has to be more room, which is so long then.
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
    static let version = "\(format) folded"

    private let locale: Locale

    private init(identifier: String) { locale = Locale(identifier: identifier) }

    /// Gives the key of a text in UTF-8. Only texts of the same bytes have the same key.
    ///
    /// Apple's systems do not show their collation to programs: there, texts stand by their letters without
    /// marks and case.
    func withKey<Result>(of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result)
        -> Result
    {
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
        let folded = String(decoding: text, as: UTF8.self).folding(options: options, locale: locale)
        return (folded.utf8 + [0] + text).withUnsafeBytes(body)
    }
    #endif
}
