import GRDBSQLite
import ObjectModel

/// The SQL function that calls the app's own ``KeyFunction``s.
package enum ComputedKeyFunction {
    /// The functions that a connection has called so far. SQLite calls them one at a time.
    private final class Memory {
        var functions: [Int64: @Sendable (StoredValue) -> StoredValue] = [:]

        func function(_ number: Int64) -> (@Sendable (StoredValue) -> StoredValue)? {
            if let function = functions[number] { return function }
            let function = ComputedKeys.shared.function(number)
            functions[number] = function
            return function
        }
    }

    /// Registers the function with a connection.
    ///
    /// - Complexity: O(1), a microsecond.
    package static func install(on connection: OpaquePointer?) {
        let memory = Unmanaged.passRetained(Memory()).toOpaque()
        // The numbers are valid in this process only, not in the triggers and views of a file.
        sqlite3_create_function_v2(
            connection, "sf_key", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, memory,
            { context, _, arguments in
                guard let context, let arguments, let data = sqlite3_user_data(context),
                    let function = Unmanaged<Memory>.fromOpaque(data).takeUnretainedValue()
                        .function(sqlite3_value_int64(arguments[1]))
                else { return sqlite3_result_null(context) }
                switch function(ComputedKeyFunction.value(arguments[0])) {
                case .null: sqlite3_result_null(context)
                case .integer(let value): sqlite3_result_int64(context, value)
                case .real(let value): sqlite3_result_double(context, value)
                case .text(let value): KeyFunctions.setResult(value, context)
                case .blob(let bytes):
                    bytes.withUnsafeBytes { KeyFunctions.setResult($0, context) }
                }
            }, nil, nil, { memory in memory.map { Unmanaged<Memory>.fromOpaque($0).release() } })
    }

    private static func value(_ value: OpaquePointer?) -> StoredValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .real(sqlite3_value_double(value))
        case SQLITE_TEXT: .text(KeyFunctions.text(value))
        case SQLITE_BLOB: .blob(bytes(value))
        default: .null
        }
    }

    private static func bytes(_ value: OpaquePointer?) -> [UInt8] {
        let start = sqlite3_value_blob(value)
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }
}
