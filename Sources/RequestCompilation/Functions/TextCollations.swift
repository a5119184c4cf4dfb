import GRDBSQLite
import ObjectModel

/// The case-insensitive text order, registered with a connection when a statement first uses it.
package enum TextCollations {
    /// The version of the case-insensitive order, part of every fingerprint that uses it. Increase it when
    /// the order changes.
    package static let caseInsensitiveVersion = 2
    /// The name of the case-insensitive collation in SQL.
    package static let caseInsensitiveName = "sf_case_insensitive"

    /// Registers a callback with which SQLite requests the collation by name when a statement needs it.
    package static func install(on connection: OpaquePointer?) {
        sqlite3_collation_needed(connection, nil) { _, connection, _, name in
            guard let connection, let name else { return }
            TextCollations.create(String(cString: name), on: connection)
        }
    }

    private static func create(_ name: String, on connection: OpaquePointer) {
        guard name == caseInsensitiveName else { return }
        sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, nil,
            { _, firstCount, first, secondCount, second in
                TextCollations.compareIgnoringCase(
                    UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                    UnsafeRawBufferPointer(start: second, count: Int(secondCount)))
            }, nil)
    }

    /// Compares two texts by the bytes of their folded forms, as `[c]` in predicates does; ASCII texts are
    /// compared without allocation.
    package static func compareIgnoringCase(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int32 {
        let common = min(first.count, second.count)
        for position in 0..<common {
            let a = first[position]
            let b = second[position]
            if (a | b) >= 0x80 { return compareUnicodeIgnoringCase(first, second) }
            let difference = Int32(lowercasedASCII(a)) - Int32(lowercasedASCII(b))
            if difference != 0 {
                // The rest of the texts is irrelevant: only a combining mark changes the folded form of the
                // character before it, and the first byte of such a mark, which is not ASCII, would be the
                // next one.
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
        let first = TextFolding.fold(String(decoding: first, as: UTF8.self), .ignoringCase).utf8
        let second = TextFolding.fold(String(decoding: second, as: UTF8.self), .ignoringCase).utf8
        if first.lexicographicallyPrecedes(second) { return -1 }
        return first.elementsEqual(second) ? 0 : 1
    }

    /// Returns whether the byte at a position is ASCII or beyond the end.
    private static func isASCII(_ text: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        position >= text.count || text[position] < 0x80
    }

    /// Returns an ASCII letter in lower case, and any other byte unchanged.
    package static func lowercasedASCII(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
