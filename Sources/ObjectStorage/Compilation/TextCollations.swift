import Foundation
import GRDB
import GRDBSQLite

/// The text orders that SQLite does not have, registered with a connection when a statement first asks for one.
enum TextCollations {
    /// Rises when the case-insensitive order changes; part of every fingerprint that uses it.
    static let caseInsensitiveVersion = 1
    /// Rises when the localized order changes; part of every fingerprint that uses it.
    static let localizedVersion = 1
    /// The name of the case-insensitive collation in SQL.
    static let caseInsensitiveName = "sf_case_insensitive"
    private static let localizedPrefix = "sf_localized:"

    /// The name of the localized collation in SQL.
    ///
    /// - Throws: ``ObjectStorageError`` for a locale identifier with characters that none has.
    static func localizedName(locale: String) throws(ObjectStorageError) -> String {
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
        return localizedPrefix + locale
    }

    /// Lets SQLite ask for our collations by name when it compiles a statement that needs one.
    static func install(on database: Database) {
        sqlite3_collation_needed(database.sqliteConnection, nil) { _, connection, _, name in
            guard let connection, let name else { return }
            TextCollations.create(String(cString: name), on: connection)
        }
    }

    private static func create(_ name: String, on connection: OpaquePointer) {
        if name == caseInsensitiveName {
            sqlite3_create_collation_v2(
                connection, name, SQLITE_UTF8, nil,
                { _, firstCount, first, secondCount, second in
                    TextCollations.compareIgnoringCase(
                        UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                        UnsafeRawBufferPointer(start: second, count: Int(secondCount)))
                }, nil)
        } else if name.hasPrefix(localizedPrefix) {
            let locale = NSLocale(localeIdentifier: String(name.dropFirst(localizedPrefix.count)))
            sqlite3_create_collation_v2(
                connection, name, SQLITE_UTF8, Unmanaged.passRetained(locale).toOpaque(),
                { context, firstCount, first, secondCount, second in
                    guard let context else { return 0 }
                    let locale = Unmanaged<NSLocale>.fromOpaque(context).takeUnretainedValue()
                    return LocalizedOrder.compare(
                        String(
                            decoding: UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                            as: UTF8.self),
                        String(
                            decoding: UnsafeRawBufferPointer(start: second, count: Int(secondCount)),
                            as: UTF8.self),
                        locale: locale as Locale)
                },
                { context in
                    guard let context else { return }
                    Unmanaged<NSLocale>.fromOpaque(context).release()
                })
        }
    }

    /// Compares the lower-case forms of two texts by their bytes; ASCII takes a path without allocation.
    private static func compareIgnoringCase(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int32 {
        let common = min(first.count, second.count)
        for position in 0..<common {
            let a = first[position]
            let b = second[position]
            if (a | b) >= 0x80 { return compareUnicodeIgnoringCase(first, second) }
            let difference = Int32(lowercasedASCII(a)) - Int32(lowercasedASCII(b))
            if difference != 0 {
                // What follows cannot matter: lower-casing never changes a character that stands before it, save
                // for a mark that combines with it, which is not ASCII and would be the next byte.
                guard isASCII(first, position + 1), isASCII(second, position + 1) else {
                    return compareUnicodeIgnoringCase(first, second)
                }
                return difference
            }
        }
        let longer = first.count > second.count ? first : second
        if longer.count > common, longer[common] >= 0x80 { return compareUnicodeIgnoringCase(first, second) }
        return Int32(truncatingIfNeeded: (first.count - second.count).signum())
    }

    private static func compareUnicodeIgnoringCase(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int32 {
        let first = Array(String(decoding: first, as: UTF8.self).lowercased().utf8)
        let second = Array(String(decoding: second, as: UTF8.self).lowercased().utf8)
        if first.lexicographicallyPrecedes(second) { return -1 }
        return first == second ? 0 : 1
    }

    /// Whether the byte at a position is ASCII, or there is none.
    private static func isASCII(_ text: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        position >= text.count || text[position] < 0x80
    }

    private static func lowercasedASCII(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
