import GRDBSQLite
package import ObjectModel

/// Several values encoded as one blob, by which rows are grouped.
///
/// Each value has one byte for its storage class; then eight bytes for a number, or eight bytes for the
/// length and the bytes of a text or blob. Numbers and lengths are little-endian.
package enum CombinedValue {
    /// Returns the values that some bytes combine; nil for other bytes. Bytes of a text that are not valid
    /// UTF-8 are replaced.
    package static func values(in bytes: [UInt8]) -> [StoredValue]? {
        var rest = bytes[...]
        func number() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        func content() -> ArraySlice<UInt8>? {
            guard let count = number(), count <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }
        var values: [StoredValue] = []
        while let storageClass = rest.popFirst() {
            switch Int32(storageClass) {
            case SQLITE_INTEGER:
                guard let number = number() else { return nil }
                values.append(.integer(Int64(bitPattern: number)))
            case SQLITE_FLOAT:
                guard let number = number() else { return nil }
                values.append(.real(Double(bitPattern: number)))
            case SQLITE_TEXT:
                guard let text = content() else { return nil }
                values.append(.text(String(decoding: text, as: UTF8.self)))
            case SQLITE_BLOB:
                guard let blob = content() else { return nil }
                values.append(.blob(Array(blob)))
            case SQLITE_NULL: values.append(.null)
            default: return nil
            }
        }
        return values
    }

    /// Registers the function `sf_combined` with a connection.
    ///
    /// - Complexity: O(1), a microsecond.
    package static func install(on connection: OpaquePointer?) {
        sqlite3_create_function_v2(
            connection, "sf_combined", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, count, arguments in
                guard let context, let arguments else { return }
                var bytes: [UInt8] = []
                for position in 0..<Int(count) { CombinedValue.append(arguments[position], to: &bytes) }
                bytes.withUnsafeBytes { KeyFunctions.setResult($0, context) }
            }, nil, nil, nil)
    }

    private static func append(_ value: OpaquePointer?, to bytes: inout [UInt8]) {
        let storageClass = sqlite3_value_type(value)
        bytes.append(UInt8(truncatingIfNeeded: storageClass))
        func append(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
        func append(_ start: UnsafeRawPointer?) {
            let content = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            append(UInt64(content.count))
            bytes += content
        }
        switch storageClass {
        case SQLITE_INTEGER: append(UInt64(bitPattern: sqlite3_value_int64(value)))
        case SQLITE_FLOAT:
            let number = sqlite3_value_double(value)
            // Minus zero and zero are equal in SQLite, and so form one group.
            append(number == 0 ? 0 : number.bitPattern)
        case SQLITE_TEXT: append(UnsafeRawPointer(sqlite3_value_text(value)))
        case SQLITE_BLOB: append(sqlite3_value_blob(value))
        default: break
        }
    }
}
