import GRDBSQLite

/// The text order without regard to case, registered with a connection when a statement first asks for one.
enum TextCollations {
    /// Rises when the case-insensitive order changes; part of every fingerprint that uses it.
    static let caseInsensitiveVersion = 2
    /// The name of the case-insensitive collation in SQL.
    static let caseInsensitiveName = "sf_case_insensitive"

    /// Lets SQLite ask for our collation by name when it compiles a statement that needs it.
    static func install(on connection: OpaquePointer?) {
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

    /// Compares texts by the bytes of what `[c]` in predicates compares; ASCII takes a path without
    /// allocation.
    static func compareIgnoringCase(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> Int32 {
        let common = min(first.count, second.count)
        for position in 0..<common {
            let a = first[position]
            let b = second[position]
            if (a | b) >= 0x80 { return compareUnicodeIgnoringCase(first, second) }
            let difference = Int32(lowercasedASCII(a)) - Int32(lowercasedASCII(b))
            if difference != 0 {
                // What follows cannot matter: folding never changes a character that stands before it, save
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
        let first = TextFolding.fold(String(decoding: first, as: UTF8.self), .ignoringCase).utf8
        let second = TextFolding.fold(String(decoding: second, as: UTF8.self), .ignoringCase).utf8
        if first.lexicographicallyPrecedes(second) { return -1 }
        return first.elementsEqual(second) ? 0 : 1
    }

    /// Whether the byte at a position is ASCII, or there is none.
    private static func isASCII(_ text: UnsafeRawBufferPointer, _ position: Int) -> Bool {
        position >= text.count || text[position] < 0x80
    }

    static func lowercasedASCII(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
